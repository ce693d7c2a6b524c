import type { ImportPhase, PhaseContext } from './phase.ts'
import type { ImportProgress } from './progress.ts'
import type { RepoImport } from './records/repo-import.store.ts'

/**
 * Runs the phases that the request selects, each step in a transaction of its own, and continues after the last step
 * that `begun` has. Throws ImportCanceledError, and what the phases throw.
 */
export async function runPhases(
  phases: readonly ImportPhase[],
  context: PhaseContext,
  { begun, progress }: { readonly begun: RepoImport; readonly progress: ImportProgress },
): Promise<void> {
  const from = Math.max(
    0,
    phases.findIndex(({ name }) => name === begun.phase),
  )
  for (const phase of phases.slice(from)) {
    if (!phase.isWanted(context.request)) continue
    const isResumed = phase.name === begun.phase
    if (!isResumed) await progress.beginPhase(phase.name)
    for await (const step of phase.steps(context, isResumed ? begun.cursor : '')) {
      context.signal.throwIfAborted()
      await progress.step(phase.name, step)
    }
  }
}
