# "/// Shapes   text" is a paragraph of its own, with a heading.
s#^( *///) (Async|Memory|Ranks|Result|Returns|Shapes|Source|Threads|Throws|Traffic|Types|beta==0)  +#\1 @label{\2} #
