package harness_test

import (
	"bufio"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

func TestMain(m *testing.M) {
	harness.Roles{
		"shout": func(args []string, requests *bufio.Scanner, answer func(any)) error {
			for requests.Scan() {
				fmt.Println("not an answer")
				answer(fmt.Sprint(args, " ", requests.Text(), "!"))
			}
			return requests.Err()
		},
		"fail": func([]string, *bufio.Scanner, func(any)) error { return errors.New("as told") },
	}.Play()
	m.Run()
}

func TestChildAnswers(t *testing.T) {
	c, err := harness.StartChild("shout", "a", "b")
	require.NoError(t, err)
	for _, word := range []string{"one", "two"} {
		answer, err := c.Ask(word)
		require.NoError(t, err)
		require.Equal(t, "[a b] "+word+"!", answer)
	}
	require.NoError(t, c.Close())
}

func TestProgramAnswers(t *testing.T) {
	c, err := harness.StartProgram("sh", "-c", `while read word; do echo "bench answer: you said $word"; done`)
	require.NoError(t, err)
	require.Positive(t, c.Pid())
	answer, err := c.Ask("one")
	require.NoError(t, err)
	require.Equal(t, "you said one", answer)
	require.NoError(t, c.Close())
}

func TestProgramThatIsNotThere(t *testing.T) {
	_, err := harness.StartProgram("/no/such/program")
	require.ErrorContains(t, err, "starting a child")
}

func TestChildThatFails(t *testing.T) {
	for _, role := range []string{"fail", "unheard-of"} {
		c, err := harness.StartChild(role)
		require.NoError(t, err)
		_, err = c.Ask("anything")
		require.Error(t, err)
		require.ErrorContains(t, c.Close(), "exit status")
	}
}
