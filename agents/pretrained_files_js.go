package agents

import "embed"

// pretrained is empty for WebAssembly, where the model files would be a third of the
// program: Options.Load can fetch the one that plays.
var pretrained embed.FS
