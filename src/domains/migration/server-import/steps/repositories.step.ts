import { setTimeout as wait } from 'node:timers/promises'
import { type Members, members, numberOf, textOf } from '../../../../core/platform/json-members.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { ARCHIVED_WARNING } from '../../imports/phases/facts.phase.ts'
import { isTrue, lineOf, linesOf, wholeOf } from '../../imports/sources/read.ts'
import type { JournalEntry } from '../journal.store.ts'
import { repoFingerprint } from '../repo-objects.ts'
import { part, type ServerContext, type ServerStep, sourceAccounts, sourceItems } from '../server-context.ts'

const REPO = 'repository'
const MAX_NAME = 100

export interface SourceRepo {
  readonly id: number
  readonly fullName: string
  readonly owner: string
  readonly name: string
  /** `owner/name` on this server. */
  readonly target: string
}

/** The chosen repositories of the other server in the order of their creation: forks come after their parents. */
async function listSourceRepos(context: ServerContext): Promise<readonly SourceRepo[]> {
  const found: SourceRepo[] = []
  for (const kind of ['account', 'organization'] as const)
    for await (const { login, name: owner } of sourceAccounts(context, kind)) {
      const path = `/${kind === 'account' ? 'users' : 'orgs'}/${part(login)}/repos`
      for await (const repo of sourceItems(context, path)) {
        const [id, name] = [wholeOf(repo['id']), lineOf(repo['name'])]
        const fullName = `${login}/${name}`
        if (id === 0 || name === '' || !context.isChosen(fullName)) continue
        found.push({ id, fullName, owner: login, name, target: `${owner}/${name}` })
      }
    }
  return [...new Map(found.map((repo) => [repo.id, repo])).values()].toSorted((a, b) => a.id - b.id)
}

/** `owner/name` for a path. */
export const repoPath = (fullName: string): string => fullName.split('/').map(part).join('/')

/** An imported repository on this server; undefined if it was not imported. */
export async function targetRepo(
  { journal }: ServerContext,
  repo: Members,
): Promise<{ readonly path: string; readonly importId: number } | undefined> {
  const found = await journal.find({ kind: REPO, source_id: String(wholeOf(repo['id'])) })
  return found?.state === 'done' ? { path: repoPath(found.target), importId: found.import_id } : undefined
}

/** The chosen repositories that were imported, with what the other server says of them. */
export async function* importedRepos(context: ServerContext) {
  for (const repo of await listSourceRepos(context)) {
    const value = await context.source.find(`/repos/${repoPath(repo.fullName)}`, context.signal)
    const found = await targetRepo(context, members(value))
    if (value !== undefined && found !== undefined) yield { ...repo, ...found, value: members(value) }
  }
}

/**
 * Repositories by jobs of the running server. One that has changed at the other server is imported again and replaces
 * the earlier copy when it is complete, unless that was changed on this server.
 */
export const repositoriesStep: ServerStep = {
  name: 'repositories',
  async run(context) {
    const repos = await listSourceRepos(context)
    const known = new Set<string>()
    for (const repo of repos) await expectObjects(context, repo)
    const pending = repos[Symbol.iterator]()
    const work = async (): Promise<void> => {
      for (const repo of pending) {
        context.signal.throwIfAborted()
        known.add(String(repo.id))
        context.report.read(REPO)
        if (!context.isDryRun) await importRepo(context, repo)
      }
    }
    await Promise.all([work(), work()])
    for (const { source_id, target } of await context.journal.list(REPO))
      if (!known.has(source_id) && context.isChosen(target))
        context.report.omit(`repository ${target}: it is not at the other server any more; the copy was left as it is`)
  },
}

/** Counts what is to be imported, for the remaining time, and as the result of a dry run. */
async function expectObjects(
  { source, report, signal, journal, isDryRun }: ServerContext,
  repo: SourceRepo,
): Promise<void> {
  if ((await journal.find({ kind: REPO, source_id: String(repo.id) }))?.state === 'done') return
  for (const [kind, list] of Object.entries(COUNTED)) {
    const count = (await source.count(`/repos/${repoPath(repo.fullName)}/${list}`, signal).catch(() => undefined)) ?? 0
    if (isDryRun) report.read(kind, count)
    else report.expect(count)
  }
}

const COUNTED = {
  issues: 'issues?state=all&type=issues',
  pulls: 'pulls?state=all',
  comments: 'issues/comments',
  releases: 'releases',
}

async function importRepo(context: ServerContext, repo: SourceRepo): Promise<void> {
  const { journal, source, target, report, signal } = context
  const key = { kind: REPO, source_id: String(repo.id) }
  const found = await journal.find(key)
  const value = members(await source.find(`/repos/${repoPath(repo.fullName)}`, signal))
  let entry: JournalEntry | undefined = found
  if (entry?.state !== 'begun') {
    const fingerprint = await repoFingerprint(source, repoPath(repo.fullName), signal)
    if (entry?.fingerprint === fingerprint) return
    const current = entry && (await repoFingerprint(target.forge, repoPath(entry.target), signal))
    if (entry !== undefined && current !== entry.target_fingerprint) {
      report.omit(`repository ${repo.fullName}: it changed at both servers; the copy on this server was left as it is`)
      return
    }
    entry = {
      ...key,
      source: context.from,
      target: repo.target,
      fingerprint,
      target_fingerprint: '',
      state: 'begun',
      import_id: 0,
    }
    await journal.put({ ...entry })
  }
  const importId = await startOrFind(context, { repo, value, entry })
  if (importId === undefined) return
  await journal.put({ ...entry, import_id: importId })
  if (!(await finished(context, repo, importId))) return
  await putInPlace(context, repo)
  if (isTrue(value['archived'])) await target.send('PATCH', `/repos/${repoPath(repo.target)}`, { archived: false })
  // The importing administrator watches what it imports.
  await target.send('DELETE', `/repos/${repoPath(repo.target)}/subscription`)
  const target_fingerprint = await repoFingerprint(target.forge, repoPath(repo.target), signal)
  await journal.put({ ...entry, import_id: importId, target_fingerprint, state: 'done' })
  report.written(REPO)
}

interface Starting {
  readonly repo: SourceRepo
  readonly value: Members
  readonly entry: JournalEntry
}

/** The name of the copy until it replaces an earlier one. */
const temporaryName = ({ id, name }: SourceRepo): string => {
  const end = `-import-${id}`
  return `${name.slice(0, MAX_NAME - end.length)}${end}`
}

const split = (fullName: string): readonly [string, string] => fullName.split('/', 2) as [string, string]

/** The import that runs or is complete, else a new one; undefined if this server refuses it. */
async function startOrFind(context: ServerContext, { repo, value, entry }: Starting): Promise<number | undefined> {
  const { target, report } = context
  const [owner, name] = split(repo.target)
  const isThere = (await target.find(`/repos/${repoPath(repo.target)}`)) !== undefined
  const names = [name, temporaryName(repo)]
  const started = (await target.list('/repos/migrations')).find(
    (each) =>
      (entry.import_id !== 0 ? each['id'] === entry.import_id : each['state'] === 'running') &&
      each['owner'] === owner &&
      names.includes(lineOf(each['name'])) &&
      ['running', 'done'].includes(lineOf(each['state'])),
  )
  if (started !== undefined) return numberOf(started['id'])
  const isMirror = isTrue(value['mirror'])
  const body = {
    clone_addr: isMirror ? lineOf(value['original_url']) : `${context.from}/${repoPath(repo.fullName)}.git`,
    repo_owner: owner,
    repo_name: isThere ? temporaryName(repo) : name,
    private: isTrue(value['private']) || isTrue(value['internal']),
    description: lineOf(value['description']),
    mirror: isMirror,
    ...(isMirror
      ? { service: 'git', mirror_interval: lineOf(value['mirror_interval']) }
      : { service: 'gitea', auth_token: context.token, ...PARTS, user_list: userList(context) }),
  }
  const answer = await target.send('POST', '/repos/migrate?async=true', body)
  if (answer.status === 202) return numberOf(members(answer.json)['id'])
  report.omit(`repository ${repo.fullName}: ${answer.message}`)
  return undefined
}

const userList = ({ names }: ServerContext): string =>
  [...names.accounts].map(([theirs, ours]) => `${theirs} ${ours}\n`).join('')

const PARTS = {
  wiki: true,
  lfs: true,
  labels: true,
  milestones: true,
  issues: true,
  pull_requests: true,
  releases: true,
}

/** Waits for an import; false if it failed. */
async function finished(context: ServerContext, repo: SourceRepo, id: number): Promise<boolean> {
  const { target, report, signal, journal } = context
  let counted = 0
  for (;;) {
    const state = await target.find(`/repos/migrations/${id}`)
    if (state === undefined) throw unavailable(`import ${id} of ${repo.fullName} is not there any more`)
    const counts = members(state['done'])
    const done = Object.keys(COUNTED).reduce((sum, kind) => sum + numberOf(counts[kind]), 0)
    report.progressed(done - counted)
    counted = done
    if (state['state'] === 'running') {
      await wait(context.pollMs, undefined, { signal })
      continue
    }
    for (const warning of linesOf(state['warnings']).filter((text) => text !== ARCHIVED_WARNING))
      report.omit(`repository ${repo.fullName}: ${warning}`)
    for (const [kind, count] of Object.entries(counts)) report.written(kind, numberOf(count))
    if (state['state'] === 'done') return true
    report.omit(`repository ${repo.fullName}: ${textOf(state['error'], 500)}`)
    await journal.put({ kind: REPO, source_id: String(repo.id), target: repo.target, state: 'begun', import_id: 0 })
    return false
  }
}

/** Replaces the earlier copy. */
async function putInPlace({ target }: ServerContext, repo: SourceRepo): Promise<void> {
  const [owner, name] = split(repo.target)
  const temporary = `${owner}/${temporaryName(repo)}`
  const found = await target.find(`/repos/${repoPath(temporary)}`)
  // NOTE: the name of a renamed repository redirects to it.
  if (found === undefined || lineOf(found['full_name']) !== temporary) return
  await target.send('PATCH', `/repos/${repoPath(repo.target)}`, { archived: false })
  await target.send('DELETE', `/repos/${repoPath(repo.target)}`)
  const { status, message } = await target.send('PATCH', `/repos/${repoPath(temporary)}`, { name })
  if (status >= 400) throw unavailable(`${temporary} cannot be renamed to ${name}: ${message}`)
}
