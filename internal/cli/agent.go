package cli

import (
	"context"
	"errors"
	"fmt"

	"marsgym/agents"
	"marsgym/internal/input"
	"marsgym/models"
)

// OpenAgent is [agents.Open] with errors for the command line: an unknown name is
// a [UsageError] with the likely correction, and the error of a model of another
// game names the flags that open it.
func OpenAgent(ctx context.Context, name string, opt agents.Options) (*agents.Agent, error) {
	a, err := agents.Open(ctx, name, opt)
	if errors.Is(err, agents.ErrUnknown) {
		return nil, Unknown("agent", agents.ModelName(name), agents.NamePatterns(opt.Game))
	}
	return a, modelFlags(err)
}

// modelFlags adds to a [models.MismatchError] the flags with which the model can be
// opened, if there are any.
func modelFlags(err error) error {
	var m *models.MismatchError
	if !errors.As(err, &m) {
		return err
	}
	switch {
	case m.Model.Game != m.Want.Game:
		return fmt.Errorf("%w; open it with -game %s", err, input.Quote(m.Model.Game))
	case m.Model.RulesVersion != m.Want.RulesVersion:
		return err
	case m.Model.Net.Players != m.Want.Net.Players:
		return fmt.Errorf("%w; open it with -players %d", err, m.Model.Net.Players)
	case m.Model.RulesHash != m.Want.RulesHash:
		return fmt.Errorf("%w; open it with a -game-config of those settings", err)
	}
	return err
}
