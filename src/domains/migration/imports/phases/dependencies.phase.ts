import type { Clock } from '../../../../core/platform/clock.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { type ImportedItem, issueImports } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceDependency } from '../source.ts'
import { cleanText } from './clean-values.ts'
import { type ItemDeps, readOfItems } from './imported-items.ts'

/** Dependencies between issues. The cursor is the position in the list of issues and pull requests. */
export const dependenciesPhase = (deps: ItemDeps & { readonly clock: Clock }): ImportPhase => ({
  name: 'dependencies',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps(context, cursor) {
    const { source, signal } = context
    for await (const step of readOfItems(deps, context, cursor, (item) => source.dependencies(item, signal)))
      yield {
        cursor: step.cursor,
        count: step.found.length,
        write: (tx) => writeDependencies(tx, context, step.found, deps.clock.now()),
      }
  },
})

interface Found {
  readonly item: ImportedItem
  readonly value: SourceDependency
}

const isNumber = (value: number | string): value is number => Number.isSafeInteger(value)

async function writeDependencies(
  tx: Tx,
  { repoId, request, warn }: PhaseContext,
  found: readonly Found[],
  now: number,
): Promise<void> {
  const numbers = found.flatMap(({ value }) => [value.issue, value.dependsOn]).filter(isNumber)
  const ids = await issueImports.listIds(tx, repoId, numbers)
  const isWhole = request.parts.has('issues') && request.parts.has('pull_requests')
  const pairs = found.flatMap(({ item, value }) => {
    if (typeof value.dependsOn === 'string') {
      const other = cleanText(value.dependsOn).slice(0, NAME_LENGTH).toWellFormed()
      warn(`a dependency of issue ${item.number} was not imported: ${other} is in another repository`)
      return []
    }
    const [dependentId, blockerId] = [ids.get(value.issue), ids.get(value.dependsOn)]
    if (dependentId !== undefined && blockerId !== undefined) return [{ dependentId, blockerId }]
    if (isWhole)
      warn(`a dependency of issue ${item.number} was not imported: there is no issue ${String(value.dependsOn)}`)
    return []
  })
  await issueImports.insertDependencies(tx, pairs, now)
}
