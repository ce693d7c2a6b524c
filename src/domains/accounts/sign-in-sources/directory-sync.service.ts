import { systemActor } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import { isDomainError, unavailable } from '../../../core/platform/errors.ts'
import type { SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import type { Users } from '../users/users.service.ts'
import type { AccountRules, ExternalAccounts, Found } from './external-accounts.service.ts'
import type { ExternalProfile } from './external-profile.ts'
import {
  type ExternalIdentity,
  listIdentitiesBySubject,
  listUnseenIdentities,
  markIdentitiesSeen,
  updateIdentity,
} from './identity.store.ts'
import type { LdapSources } from './ldap/ldap-source.ts'
import type { People } from './ldap/people.ts'
import { updateSource } from './source.store.ts'
import type { SignInSource, SignInSources } from './sources.service.ts'
import { emptyReport, type SyncReport } from './sync-report.ts'

interface Deps extends Pick<Core, 'database' | 'clock' | 'events' | 'log'> {
  readonly sources: Pick<SignInSources, 'getDirectory'>
  readonly ldap: Pick<LdapSources, 'search'>
  readonly accounts: ExternalAccounts
  readonly users: Pick<Users, 'edit' | 'findById' | 'mapByIds'>
}

interface Run {
  readonly source: SignInSource<'ldap'>
  readonly rules: AccountRules
  readonly report: SyncReport
  /** Epoch milliseconds. */
  readonly began: number
}

/** Reasons in a report. */
const MAX_PROBLEMS = 20
/** Number of accounts absent from the answer that are checked together. */
const BATCH = 200

export type DirectorySync = ReturnType<typeof createDirectorySync>

/** Compares all accounts of a source with its directory. */
export function createDirectorySync(deps: Deps) {
  const { database, clock, events } = deps

  /**
   * NOTE: two connections, because directories have one paged search in a connection at a time. Accounts are
   * deactivated only after the whole answer: an error on the way ends the run.
   */
  async function compare(run: Run, signal: AbortSignal | undefined): Promise<void> {
    const { source, report } = run
    await deps.ldap.search(source, (lister) =>
      deps.ldap.search(source, async (people) => {
        for await (const page of lister.all()) {
          signal?.throwIfAborted()
          report.entries += page.entries
          await applyPage(deps, run, await people.describe(page.people))
        }
        if (report.entries === 0) throw unavailable('the directory knows nobody; nothing is changed')
        await deactivateMissing(deps, run, people, signal)
      }),
    )
  }

  return {
    /**
     * Throws Invalid for a source without a directory. A directory that is unavailable, or does not return all entries,
     * is a problem in the report; then no account is deactivated.
     */
    async run(id: SignInSourceId, signal?: AbortSignal): Promise<SyncReport> {
      const source = await deps.sources.getDirectory(id)
      const report = emptyReport()
      const rules = { source, createsAccounts: source.settings.create_accounts }
      try {
        await compare({ source, rules, report, began: clock.now() }, signal)
        report.isComplete = true
      } catch (error) {
        if (!isDomainError(error, 'unavailable')) throw error
        addProblem(report, error.message)
        deps.log.warn({ source: source.name, reason: error.message }, 'cannot compare accounts with a directory')
      }
      const at = clock.now()
      await database.transaction(async (tx) => {
        await updateSource(tx, id, { synchronized_at: at, sync_report: JSON.stringify(report) })
        const { problems: _, isComplete, ...counts } = report
        await events.append(
          tx,
          'sign_in_source.synchronized',
          { actor: systemActor, repoId: 0, at },
          { source_id: id, kind: source.kind, name: source.name, complete: isComplete, ...counts },
        )
      })
      return report
    },
  }
}

async function applyPage(deps: Deps, run: Run, profiles: readonly ExternalProfile[]): Promise<void> {
  const { database, clock, accounts } = deps
  const { source, rules, report } = run
  const found = await findKnown(deps, source, profiles)
  for (const profile of profiles) {
    try {
      const { change } = await accounts.refresh(rules, profile, found.get(profile.subject))
      if (change !== 'unchanged') report[change]++
    } catch (error) {
      if (!isDomainError(error, 'forbidden') && !isDomainError(error, 'conflict')) throw error
      report.skipped++
      addProblem(report, error.message)
    }
  }
  const subjects = profiles.map(({ subject }) => subject)
  await database.transaction((tx) => markIdentitiesSeen(tx, source.id, subjects, clock.now()))
}

/** The accounts of a page, in two queries; without those that are not linked yet. */
async function findKnown(
  { database, users }: Deps,
  source: SignInSource,
  profiles: readonly ExternalProfile[],
): Promise<Map<string, Found>> {
  const subjects = profiles.map(({ subject }) => subject)
  const identities = await listIdentitiesBySubject(database.read, source.id, subjects)
  const accounts = await users.mapByIds(identities.map(({ userId }) => userId))
  const found = new Map<string, Found>()
  for (const identity of identities) {
    const user = accounts.get(identity.userId)
    if (user?.sourceId === source.id) found.set(identity.subject, { user, identity })
  }
  return found
}

async function deactivateMissing(deps: Deps, run: Run, people: People, signal: AbortSignal | undefined): Promise<void> {
  for (let after = 0; ;) {
    signal?.throwIfAborted()
    const page = { since: run.began, after, limit: BATCH }
    const unseen = await listUnseenIdentities(deps.database.read, run.source.id, page)
    for (const identity of unseen) await deactivateIfMissing(deps, run, people, identity)
    const last = unseen.at(-1)
    if (last === undefined || unseen.length < BATCH) return
    after = last.userId
  }
}

/** NOTE: asks for the person alone once more: a list may have been incomplete without an error. */
async function deactivateIfMissing(deps: Deps, { source, report }: Run, people: People, identity: ExternalIdentity) {
  const { database, clock, users, log } = deps
  const person = await people.find(identity.loginName)
  const isThere = person?.subject === identity.subject
  const at = clock.now()
  if (isThere) {
    report.skipped++
    addProblem(report, `the directory left out ${identity.loginName}`)
    await database.transaction((tx) => updateIdentity(tx, identity, { seen_at: at }))
    return
  }
  const user = await users.findById(identity.userId)
  if (user?.sourceId === source.id && user.isActive) {
    try {
      await users.edit(systemActor, user, { isActive: false })
      report.deactivated++
    } catch (error) {
      // The last administrator.
      if (!isDomainError(error, 'forbidden')) throw error
      report.skipped++
      addProblem(report, error.message)
      log.warn({ user: user.id, source: source.name, reason: error.message }, 'cannot deactivate an account')
      return
    }
    await database.transaction((tx) => updateIdentity(tx, identity, { gone_at: at }))
  }
}

function addProblem({ problems }: SyncReport, reason: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push(reason)
}
