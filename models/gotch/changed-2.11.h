//go:build gotch && cgo

// gotch v0.9.1 calls three functions with the parameters that they have in libtorch
// 2.1. In libtorch 2.11 they have others, and the C++ of gotch compiles with these
// overloads only. They report an error: package gotch calls none of the three.

#include <torch/torch.h>

namespace at {

using Scale = const std::optional<Tensor> &;

inline Tensor _cslt_sparse_mm(const Tensor &, const Tensor &, Scale, bool) {
  TORCH_CHECK(false, "_cslt_sparse_mm is not available from gotch on libtorch 2.11");
}

inline std::tuple<Tensor, Tensor> _scaled_mm(const Tensor &, const Tensor &, Scale,
                                             std::optional<ScalarType>, Scale, Scale, Scale) {
  TORCH_CHECK(false, "_scaled_mm is not available from gotch on libtorch 2.11");
}

inline std::tuple<Tensor, Tensor> _scaled_mm_out(Tensor &, Tensor &, const Tensor &, const Tensor &, Scale,
                                                 std::optional<ScalarType>, Scale, Scale, Scale) {
  TORCH_CHECK(false, "_scaled_mm_out is not available from gotch on libtorch 2.11");
}

} // namespace at
