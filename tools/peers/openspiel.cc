// Plays OpenSpiel at random: openspiel GAME SECONDS. Every decision writes the
// observation and lists the legal actions; chance is sampled. Prints what peers.py prints.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

#include "open_spiel/spiel.h"

int main(int argc, char** argv) {
  auto game = open_spiel::LoadGame(argv[1]);
  double seconds = std::atof(argv[2]);
  std::vector<float> observation(game->ObservationTensorSize());
  uint32_t x = 1;
  auto uniform = [&x] {
    x = x * 1664525 + 1013904223;  // Numerical Recipes, as in env/bench_test.go
    return x / 4294967296.0;
  };
  std::unique_ptr<open_spiel::State> state = game->NewInitialState();
  std::clock_t start = std::clock();
  long steps = 0;
  double cpu = 0;
  while (cpu < seconds) {
    for (long end = steps + 1000; steps < end;) {
      if (state->IsTerminal()) {
        state = game->NewInitialState();
      } else if (state->IsChanceNode()) {
        state->ApplyAction(open_spiel::SampleAction(state->ChanceOutcomes(), uniform()).first);
      } else {
        state->ObservationTensor(state->CurrentPlayer(), absl::MakeSpan(observation));
        std::vector<open_spiel::Action> legal = state->LegalActions();
        state->ApplyAction(legal[static_cast<size_t>(uniform() * legal.size())]);
        steps++;
      }
    }
    cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  std::printf("{\"steps\": %ld, \"cpu\": %f, \"observation\": %zu, \"actions\": %d}\n", steps, cpu,
              observation.size(), game->NumDistinctActions());
}
