# "/// Shapes   text" is a paragraph of its own, with a heading.
s#^( *///) (Async|Format|Matrix|Memory|Norm|Ranks|Result|Returns|Shapes|Source|Threads|Throws|Times|Tools|Tracks|Traffic|Types|beta==0)  +#\1 @label{\2} #
