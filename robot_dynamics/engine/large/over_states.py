"""Writes the loop over the states of a batch of the general recursion."""

from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.large.rolled import Rolled


def size(tail: tuple[int, ...]) -> int:
    """Return how many numbers a row has."""
    count = 1
    for k in tail:
        count *= k
    return count


def parameters(inputs: tuple[str, ...], loops: Rolled) -> str:
    """Return the parameters that all functions begin with."""
    return ', '.join(['ptr %tables', *(f'ptr %in_{x}' for x in inputs),
                      *(f'ptr %out{k}' for k in range(len(loops.results)))])


def states_function(inputs: tuple[str, ...], loops: Rolled) -> str:
    """Write the loop over states: four at once, then those that are left."""
    # how many numbers a state has of each array: n, or n n times the components of a matrix
    names = {f'in_{x}': 0 for x in inputs}
    names.update({f'out{k}': size(loops.matrices[x]) if x in loops.matrices else 0
                  for k, x in enumerate(loops.results)})

    def rows(mark: str, state: str) -> str:
        lines = [f'  %{mark}_at = mul i64 {state}, %n',
                 f'  %{mark}_square = mul i64 %{mark}_at, %n']
        for x, components in names.items():
            at = f'%{mark}_at'
            if components:
                at = f'%{mark}_{x}_at'
                lines.append(f'  {at} = mul i64 %{mark}_square, {components}')
            lines.append(f'  %{mark}_{x} = getelementptr double, ptr %{x}, i64 {at}')
        return '\n'.join(lines)

    def call(mark: str, function: str) -> str:
        pointers = ', '.join(['ptr %tables', *(f'ptr %{mark}_{x}' for x in names)])
        return f'  call void @{function}({pointers}, ptr %scratch, i64 %n)'

    own = ', '.join(['ptr %tables', *(f'ptr %{x}' for x in names)])
    return f"""
define void @states({own}, ptr %scratch, i64 %n, i64 %N) #0 {{
entry:
  %whole = and i64 %N, {-WIDTH}
  br label %head
head:
  %k = phi i64 [0, %entry], [%k4, %fours]
  %more = icmp slt i64 %k, %whole
  br i1 %more, label %fours, label %tail
fours:
{rows('a', '%k')}
{call('a', 'four')}
  %k4 = add i64 %k, {WIDTH}
  br label %head
tail:
  %j = phi i64 [%whole, %head], [%j1, %ones]
  %left = icmp slt i64 %j, %N
  br i1 %left, label %ones, label %done
ones:
{rows('b', '%j')}
{call('b', 'one')}
  %j1 = add i64 %j, 1
  br label %tail
done:
  ret void
}}"""
