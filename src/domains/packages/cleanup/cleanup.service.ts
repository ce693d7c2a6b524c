import { AccessMode } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { TaskError, type TaskKind } from '../../../core/platform/isolation/index.ts'
import { type Page, type Paging, pageOf } from '../../../core/platform/paging.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { lockPackage } from '../packages/package-contents.store.ts'
import { appendPackageEvent } from '../packages/package-event.ts'
import { deleteVersion, findVersion } from '../packages/package.store.ts'
import { modeOfPackages } from '../registry/registry-access.ts'
import { type Candidate, findCandidate, listCandidates } from './candidates.store.ts'
import { type CleanupRule, findRuleById } from './cleanup-rule.store.ts'
import { decideCleanup, type JudgedVersion, matchedName, type PatternMatch } from './cleanup.policy.ts'
import type { NamesToMatch } from './names.task.ts'
import { loadStandings } from './standings.ts'

type CleanupDeps = Pick<Core, 'database' | 'clock' | 'events' | 'log' | 'taskPool'>

const MATCH: TaskKind<NamesToMatch, PatternMatch[]> = {
  url: new URL('names.task.ts', import.meta.url).href,
  deadline: 3_000,
}
/** Names of one task. */
const NAMES = 5_000
/** Maximum number of versions that a preview examines. */
const PREVIEWED = 10_000
/** Versions that are deleted before the rule and the rights of its author are checked again. */
const BATCH = 100

export type Cleanup = ReturnType<typeof createCleanup>

/** Deletes versions of packages by rules. */
export function createCleanup(deps: CleanupDeps) {
  const { database, clock, taskPool } = deps
  const { read } = database

  /**
   * The versions that a rule deletes, in groups of whole packages. Throws TaskError for patterns that take too long.
   */
  async function* removableOf(rule: CleanupRule): AsyncGenerator<{ seen: number; removable: JudgedVersion[] }> {
    for await (const group of listCandidates(read, rule.ownerId, rule.type)) {
      const now = clock.now()
      const standingOf = await loadStandings(read, rule.type, group, now)
      const matches = await matchNames(rule, group)
      const judged = group.map((one, at) => ({ ...one, ...matches[at]!, standing: standingOf(one) }))
      const packages = Map.groupBy(judged, ({ packageId }) => packageId)
      const removable = [...packages.values()].flatMap((versions) => decideCleanup(rule, versions, now))
      yield { seen: group.length, removable }
    }
  }

  async function matchNames(rule: CleanupRule, group: readonly Candidate[]): Promise<PatternMatch[]> {
    const { keepPattern: keep, removePattern: remove } = rule
    if (keep === '' && remove === '') return group.map(() => ({ isKept: false, isRemoved: true }))
    const matches: PatternMatch[] = []
    for (let at = 0; at < group.length; at += NAMES) {
      const names = group.slice(at, at + NAMES).map((one) => matchedName(rule, one))
      matches.push(...(await taskPool.run(MATCH, { keep, remove, names }, `account ${rule.authorId}`)))
    }
    return matches
  }

  /** The rule and its author as they are now; undefined if it no longer deletes anything. */
  async function current(id: number): Promise<Authority | undefined> {
    const rule = await findRuleById(read, id)
    if (rule?.isEnabled !== true) return undefined
    const owner = await userQueries.findById(read, rule.ownerId)
    const need = { scopes: ['package'], level: 'write' } as const
    const actor = await userQueries.loadActing(read, rule.authorId, rule.restriction, need)
    if (owner === undefined || actor === undefined) return undefined
    return (await modeOfPackages(database, actor, owner)) < AccessMode.write ? undefined : { rule, owner, actor }
  }

  /** Deletes a version unless it has changed since the rule was compared with it. */
  const deleteCandidate = ({ actor, owner, rule }: Authority, one: Candidate): Promise<void> =>
    database.transaction(async (tx) => {
      const name = { ownerId: owner.id, type: rule.type, name: one.name }
      await lockPackage(tx, name)
      const now = await findCandidate(tx, one.id)
      const found = await findVersion(tx, name, one.version)
      if (now?.changedAt !== one.changedAt || found?.id !== one.id) return
      await deleteVersion(tx, found)
      await appendPackageEvent(deps, tx, 'package.deleted', { actor, owner, versions: [found] })
    })

  return {
    /** The versions that a rule would delete now, of the first 10,000. Throws Invalid if its patterns take too long. */
    async preview(rule: CleanupRule, paging: Paging): Promise<Page<Candidate>> {
      const all: Candidate[] = []
      let looked = 0
      try {
        for await (const { seen, removable } of removableOf(rule)) {
          all.push(...removable)
          looked += seen
          if (looked >= PREVIEWED) break
        }
      } catch (error) {
        if (isTooComplex(error)) throw invalid('keep_pattern, remove_pattern: take too long to match').causedBy(error)
        throw error
      }
      return pageOf(all, paging)
    },

    /**
     * Applies a rule in the name of the account that saved it, with its present rights. The same again has the same
     * effect.
     */
    async apply(id: number, signal: AbortSignal): Promise<void> {
      const started = await current(id)
      if (started === undefined) return
      try {
        for await (const { removable } of removableOf(started.rule))
          for (let at = 0; at < removable.length; at += BATCH) {
            const authority = await current(id)
            if (authority?.rule.updatedAt !== started.rule.updatedAt) return
            for (const one of removable.slice(at, at + BATCH)) {
              signal.throwIfAborted()
              await deleteCandidate(authority, one)
            }
          }
      } catch (error) {
        if (!isTooComplex(error)) throw error
        deps.log.warn({ rule: id }, 'the patterns of a cleanup rule of packages take too long')
      }
    },
  }
}

interface Authority {
  readonly rule: CleanupRule
  readonly owner: User
  readonly actor: SignedIn
}

const isTooComplex = (error: unknown): boolean =>
  error instanceof TaskError && (error.reason === 'time' || error.reason === 'memory')
