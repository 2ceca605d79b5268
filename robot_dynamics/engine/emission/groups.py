"""Groups of blocks: programs whose code is long and stores more than it computes.

Straight-line code that is longer than the processor's cache of code is fetched anew for each block
of states, and that takes as long as running it. So `block` is cut into short parts, and `group`
runs each part for GROUP blocks before the next: its code is fetched once. What parts hand on goes
through memory, so that this pays only where most values are results, as inertia matrices of
humanoids are (a tenth less time at 29 joints; of inverse dynamics it was a third more).
"""

from robot_dynamics.engine.emission.arithmetic import Code
from robot_dynamics.engine.tracing.program import Program

GROUP = 8  # blocks
GROUP_PART = 1000  # operations of a part
CACHED = 4000  # instructions that the cache of code holds, about


def is_grouped(program: Program) -> bool:
    """Tell whether batches run the parts of a program in turn, each for GROUP blocks."""
    results, operations = len(program.outputs), sum(program.count().values())
    return (7 * results > 2 * operations > 4 * GROUP_PART
            and operations + 3 * results > CACHED)


def group_function(code: Code, inputs: dict[str, int], size: int) -> str:
    """Write `group`, after the parts of `block` that it calls; size: of a state's result."""
    pointers = ', '.join(f'ptr %{x}' for x in (*inputs, 'work', 'out'))
    steps = {**{x: ('double', code.w.width * n) for x, n in inputs.items()},
             'out': ('double', code.w.width * size),
             'scratch': (code.w.type, max(1, len(code.scratch)))}  # from a block to the next
    parts = range(len(code.parts))
    loops = [part_loop(k, list(inputs), steps, k == parts[-1]) for k in parts]
    kind, room = steps['scratch']
    return f"""
define i32 @group({pointers}) #1 {{
entry:
  %scratch = alloca {kind}, i64 {GROUP * room}, align 64
  br label %part_0
{''.join(loops)}
done:
  ret i32 %worse_{parts[-1]}
}}"""


def part_loop(k: int, inputs: list[str], steps: dict[str, tuple[str, int]], last: bool) -> str:
    """Write the loop that runs part k for each block."""
    before, bad = ('entry', '0') if k == 0 else (f'part_{k - 1}', f'%worse_{k - 1}')
    places = '\n'.join(
        f'  %by_{x}_{k} = mul i64 %block_{k}, {step}\n'
        f'  %{x}_{k} = getelementptr {kind}, ptr %{x}, i64 %by_{x}_{k}'
        for x, (kind, step) in steps.items())
    arguments = ', '.join([*(f'ptr %{x}_{k}' for x in inputs), 'ptr %work', f'ptr %out_{k}',
                           f'ptr %scratch_{k}'])
    return f"""
part_{k}:
  %block_{k} = phi i64 [0, %{before}], [%next_{k}, %part_{k}]
  %bad_{k} = phi i32 [{bad}, %{before}], [%worse_{k}, %part_{k}]
{places}
  %found_{k} = call i32 @block_{k}({arguments})
  %worse_{k} = or i32 %bad_{k}, %found_{k}
  %next_{k} = add i64 %block_{k}, 1
  %all_{k} = icmp eq i64 %next_{k}, {GROUP}
  br i1 %all_{k}, label %{'done' if last else f'part_{k + 1}'}, label %part_{k}"""
