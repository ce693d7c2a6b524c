import { setTimeout as wait } from 'node:timers/promises'
import { members, numberOf, textOf } from '../../../../core/platform/json-members.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { ARCHIVED_WARNING } from '../../imports/phases/facts.phase.ts'
import { lineOf, linesOf } from '../../imports/sources/read.ts'
import type { JournalEntry } from '../journal.store.ts'
import { fingerprintOf } from '../repo-objects.ts'
import { part, type ServerContext } from '../server-context.ts'

/** The kind of the entries of repositories in the journal. */
export const REPO = 'repository'

export interface SourceRepo {
  readonly id: number
  readonly fullName: string
  readonly owner: string
  readonly name: string
  /** `owner/name` on this server. */
  readonly target: string
}

/** `owner/name` for a path. */
export const repoPath = (fullName: string): string => fullName.split('/').map(part).join('/')

export const splitName = (fullName: string): readonly [string, string] => fullName.split('/', 2) as [string, string]

/** The kinds of objects within repositories, and their lists. */
export const COUNTED = {
  issues: 'issues?state=all&type=issues',
  pulls: 'pulls?state=all',
  comments: 'issues/comments',
  releases: 'releases',
}

const PARTS = {
  wiki: true,
  lfs: true,
  labels: true,
  milestones: true,
  issues: true,
  pull_requests: true,
  releases: true,
}

interface EarlierImport {
  readonly id: number
  readonly state: string
}

/** The imports that an earlier run has started, by `owner/name` on this server, newest first. */
export async function listEarlierImports({ target }: ServerContext): Promise<ReadonlyMap<string, EarlierImport[]>> {
  const found = new Map<string, EarlierImport[]>()
  for await (const page of target.pages('/repos/migrations'))
    for (const { owner, name, id, state } of page) {
      const imports = found.getOrInsertComputed(`${lineOf(owner)}/${lineOf(name)}`, () => [])
      imports.push({ id: numberOf(id), state: lineOf(state) })
    }
  return found
}

/** Starts an import of a repository or of its changes; returns its id, undefined if this server refuses it. */
export async function startImport(
  { from, token, target, names, report }: ServerContext,
  repo: SourceRepo,
  options: object,
): Promise<number | undefined> {
  const [repo_owner, repo_name] = splitName(repo.target)
  const answer = await target.send('POST', '/repos/migrate?async=true', {
    clone_addr: `${from}/${repoPath(repo.fullName)}.git`,
    repo_owner,
    repo_name,
    service: 'gitea',
    auth_token: token,
    ...PARTS,
    // Collaborators and teams get access afterwards.
    keep_assignees: true,
    user_list: [...names.accounts].map(([theirs, ours]) => `${theirs} ${ours}\n`).join(''),
    ...options,
  })
  if (answer.status === 202) return numberOf(members(answer.json)['id'])
  report.omit(`repository ${repo.fullName}: ${answer.message}`)
  return undefined
}

/** Waits for an import; false if it failed. */
export async function finished(context: ServerContext, fullName: string, id: number): Promise<boolean> {
  const { target, report, signal } = context
  let counted = 0
  for (;;) {
    const state = await target.find(`/repos/migrations/${id}`)
    if (state === undefined) throw unavailable(`import ${id} of ${fullName} is not there any more`)
    const counts = members(state['done'])
    const done = Object.keys(COUNTED).reduce((sum, kind) => sum + numberOf(counts[kind]), 0)
    report.progressed(done - counted)
    counted = done
    if (state['state'] === 'running') {
      await wait(context.pollMs, undefined, { signal })
      continue
    }
    for (const warning of linesOf(state['warnings']).filter((text) => text !== ARCHIVED_WARNING))
      report.omit(`repository ${fullName}: ${warning}`)
    for (const [kind, count] of Object.entries(counts)) report.written(kind, numberOf(count))
    if (state['state'] === 'done') return true
    report.omit(`repository ${fullName}: ${textOf(state['error'], 500)}`)
    return false
  }
}

/** Members of the journal entry of a copy that is now complete. */
export async function writtenNow(
  { core, target: { forge }, signal }: ServerContext,
  fullName: string,
): Promise<Pick<JournalEntry, 'target_fingerprint' | 'written_at'>> {
  const target_fingerprint = await fingerprintOf({ api: forge, path: repoPath(fullName), signal })
  return { target_fingerprint, written_at: core.clock.now() }
}
