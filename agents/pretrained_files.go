//go:build !js

package agents

import "embed"

// pretrained holds the model files. Beside each lies a card on its training and
// strength.
//
//go:embed pretrained/*.safetensors
var pretrained embed.FS
