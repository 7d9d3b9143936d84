//go:build gotch && cgo

// gotch has no binding of this function. It is declared here, since the header takes
// seconds to compile.
namespace at {
void set_num_threads(int);
}

extern "C" void marsgym_set_num_threads(int n) { at::set_num_threads(n); }
