import type { Clock } from '../../../../core/platform/clock.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { protectionImports } from '../../../code/index.ts'
import { ForgeError } from '../forge-error.ts'
import type { ImportPhase, ImportStep, PhaseContext } from '../phase.ts'
import type { SourceProtections } from '../source.ts'

interface ProtectionsPhaseDeps {
  readonly clock: Clock
}

/** A repository has no more of either kind. */
const MAX_RULES = 100

/**
 * Imports the protections of branches, then those of tags. Their lists contain the accounts that an administrator
 * mapped users of the service to; others, and teams, are omitted, so that a rule never allows more than at the service.
 * The cursor is the kind that was written last.
 */
export const protectionsPhase = ({ clock }: ProtectionsPhaseDeps): ImportPhase => ({
  name: 'protections',
  isWanted: ({ parts }) => parts.has('pull_requests'),
  async *steps(context, cursor) {
    if (cursor === 'tags') return
    const { branches, tags } = await readProtections(context)
    const at = clock.now()
    if (cursor === '') yield branchStep(context, branches, at)
    yield await tagStep(context, tags, at)
  },
})

/** Reading them needs more rights than the rest. */
async function readProtections({ source, signal, warn }: PhaseContext): Promise<SourceProtections> {
  try {
    const { branches, tags } = await source.protections(signal)
    if (Math.max(branches.length, tags.length) > MAX_RULES)
      warn(`only ${MAX_RULES} protections of branches and of tags were imported`)
    return { branches: branches.slice(0, MAX_RULES), tags: tags.slice(0, MAX_RULES) }
  } catch (error) {
    if (!(error instanceof ForgeError) || error.kind !== 'auth') throw error
    warn(`protections of branches and tags were not imported: ${error.message}`)
    return { branches: [], tags: [] }
  }
}

function branchStep(context: PhaseContext, values: readonly unknown[], at: number): ImportStep {
  const rules = values.flatMap((value) => {
    const rule = protectionImports.readBranchRule(value)
    if (rule === undefined) context.warn('a protection of branches was not imported: it is malformed')
    return rule ?? []
  })
  return {
    cursor: 'branches',
    count: rules.length,
    async write(tx) {
      for (const rule of rules) {
        const named = new Map([...rule.users].map(([list, names]) => [list, mapAll(context, names)]))
        const users = new Map([...named].map(([list, { ids }]) => [list, ids]))
        const problem = await protectionImports.insertBranchRule(tx, context.repoId, rule, { users, at })
        report(context, `the protection of branches ${rule.name}`, problem, [
          rule.hasTeams,
          [...named.values()].some(({ isPart }) => isPart),
        ])
      }
    },
  }
}

async function tagStep(context: PhaseContext, values: readonly unknown[], at: number): Promise<ImportStep> {
  const rules: NonNullable<Awaited<ReturnType<typeof protectionImports.readTagRule>>>[] = []
  for (const value of values) {
    const rule = await protectionImports.readTagRule(value)
    if (rule === undefined) context.warn('a protection of tags was not imported: it is malformed')
    else rules.push(rule)
  }
  return {
    cursor: 'tags',
    count: rules.length,
    async write(tx) {
      for (const rule of rules) {
        const { ids: users, isPart } = mapAll(context, rule.users)
        const problem = await protectionImports.insertTagRule(tx, context.repoId, rule, { users, at })
        report(context, `the protection of tags ${rule.pattern}`, problem, [rule.hasTeams, isPart])
      }
    },
  }
}

interface Mapped {
  readonly ids: readonly UserId[]
  /** Some of the users have no account here. */
  readonly isPart: boolean
}

function mapAll({ mapped }: PhaseContext, names: readonly string[]): Mapped {
  const ids = names.flatMap((login) => mapped({ id: 0, login, email: '' }) ?? [])
  return { ids, isPart: ids.length < names.length }
}

function report(
  { warn }: PhaseContext,
  what: string,
  problem: string | undefined,
  [hasTeams, isPart]: readonly [boolean, boolean],
): void {
  if (problem !== undefined) warn(`${what} was not imported: ${problem}`)
  else if (hasTeams || isPart) warn(`users and teams of ${what} that are unknown here were left out`)
}
