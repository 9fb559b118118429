#include <algorithm>
#include <ashlar/spmv/impl/choice/tournament.hpp>
#include <cstddef>

namespace ashlar::impl {

namespace {

constexpr int rounds_of_first = 3, rounds_of_second = 7, rounds_of_third = 15;

/// Candidates beside candidate 0 that come to the second heat.
constexpr int finalists = 4;

/// After one round, who takes so many times as long as the best is out.
constexpr double hopeless = 2;

/// The least difference that counts, as a part of candidate 0's time.
constexpr double least_gain = 0.01;

double quantile(std::vector<double> samples, double part) {
  const auto which = static_cast<std::size_t>(part * double(samples.size() - 1) + 0.5);
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(which), samples.end());
  return samples[which];
}

double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }

double interquartile_range(const std::vector<double>& samples) {
  return quantile(samples, 0.75) - quantile(samples, 0.25);
}

/// The samples of those who take part, in rounds that begin each with another one.
class Heat {
 public:
  Heat(std::vector<int> in, int num_candidates) : in_(std::move(in)), samples_(num_candidates) {}

  void round(const std::function<double(int)>& sample) {
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const int candidate = in_[(k + first_) % in_.size()];
      samples_[candidate].push_back(sample(candidate));
    }
    ++first_;
  }

  /// The candidates that take part, the fastest first.
  std::vector<int> ranking() const {
    std::vector<int> order = in_;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return median(samples_[a]) < median(samples_[b]); });
    return order;
  }

  void leave_out_hopeless() {
    const double best = median(samples_[ranking().front()]);
    std::erase_if(in_, [&](int each) { return each != 0 && median(samples_[each]) > hopeless * best; });
  }

  const std::vector<double>& samples(int candidate) const { return samples_[candidate]; }

  void tell(std::vector<double>& seconds) const {
    for (std::size_t each = 0; each < samples_.size(); ++each) {
      if (!samples_[each].empty()) seconds[each] = median(samples_[each]);
    }
  }

 private:
  std::vector<int> in_;
  std::vector<std::vector<double>> samples_;
  std::size_t first_ = 0;
};

}  // namespace

TournamentResult tournament(int num_candidates, const std::function<double(int)>& sample) {
  TournamentResult result;
  result.seconds.assign(static_cast<std::size_t>(num_candidates), 0);
  std::vector<int> all(static_cast<std::size_t>(num_candidates));
  for (int each = 0; each < num_candidates; ++each) all[static_cast<std::size_t>(each)] = each;

  Heat first(all, num_candidates);
  for (int round = 0; round < rounds_of_first; ++round) {
    first.round(sample);
    if (round == 0) first.leave_out_hopeless();
  }
  first.tell(result.seconds);
  std::vector<int> best{0};
  for (const int each : first.ranking()) {
    if (each != 0 && best.size() <= finalists) best.push_back(each);
  }
  if (best.size() == 1) return result;

  Heat second(best, num_candidates);
  for (int round = 0; round < rounds_of_second; ++round) second.round(sample);
  second.tell(result.seconds);
  int challenger = second.ranking().front();
  if (challenger == 0) challenger = second.ranking()[1];

  Heat third({0, challenger}, num_candidates);
  for (int round = 0; round < rounds_of_third; ++round) third.round(sample);
  third.tell(result.seconds);
  const double of_default = median(third.samples(0));
  result.noise = std::max(
      {least_gain * of_default, interquartile_range(third.samples(0)), interquartile_range(third.samples(challenger))});
  if (median(third.samples(challenger)) + result.noise < of_default) result.winner = challenger;
  return result;
}

}  // namespace ashlar::impl
