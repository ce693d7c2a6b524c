import { type Members, members } from '../../../../core/platform/json-members.ts'
import { isTrue, lineOf, countOf } from '../../imports/sources/read.ts'
import { part, type ServerContext, type ServerStep, sourceAccounts, sourceItems } from '../server-context.ts'
import { importChanges } from './import-changes.ts'
import {
  COUNTED,
  finished,
  listEarlierImports,
  REPO,
  repoPath,
  type SourceRepo,
  startImport,
  writtenNow,
} from './repo-imports.ts'

/** The chosen repositories of the other server in the order of their creation: forks come after their parents. */
async function listSourceRepos(context: ServerContext): Promise<readonly SourceRepo[]> {
  const found: SourceRepo[] = []
  for (const kind of ['account', 'organization'] as const)
    for await (const { login, name: owner } of sourceAccounts(context, kind)) {
      const path = `/${kind === 'account' ? 'users' : 'orgs'}/${part(login)}/repos`
      for await (const repo of sourceItems(context, path)) {
        const [id, name] = [countOf(repo['id']), lineOf(repo['name'])]
        const fullName = `${login}/${name}`
        if (id === 0 || name === '' || !context.isChosen(fullName)) continue
        found.push({ id, fullName, owner: login, name, target: `${owner}/${name}` })
      }
    }
  return [...new Map(found.map((repo) => [repo.id, repo])).values()].toSorted((a, b) => a.id - b.id)
}

/** An imported repository on this server; undefined if it was not imported. */
export async function targetRepo(
  { journal }: ServerContext,
  repo: Members,
): Promise<{ readonly path: string; readonly importId: number } | undefined> {
  const found = await journal.find({ kind: REPO, source_id: String(countOf(repo['id'])) })
  return found?.state === 'done' ? { path: repoPath(found.target), importId: found.import_id } : undefined
}

/** A repository of which this server has a copy. */
export interface ImportedRepo extends SourceRepo {
  /** `owner/name` on this server, for a path. */
  readonly path: string
  readonly importId: number
  /** The repository in the API of the other server. */
  readonly value: Members
}

/** The chosen repositories that were imported. */
export async function* importedRepos(context: ServerContext): AsyncGenerator<ImportedRepo> {
  for (const repo of await listSourceRepos(context)) {
    const value = await context.source.find(`/repos/${repoPath(repo.fullName)}`, context.signal)
    const found = await targetRepo(context, members(value))
    if (value !== undefined && found !== undefined) yield { ...repo, ...found, value: members(value) }
  }
}

/**
 * Repositories by jobs of the running server. Of one that was imported before, it imports the changes, unless the copy
 * was changed on this server.
 */
export const repositoriesStep: ServerStep = {
  name: 'repositories',
  async run(context) {
    const repos = await listSourceRepos(context)
    const known = new Set<string>()
    for (const repo of repos) await expectObjects(context, repo)
    const earlier = context.isDryRun ? new Map() : await listEarlierImports(context)
    const pending = repos[Symbol.iterator]()
    const work = async (): Promise<void> => {
      for (const repo of pending) {
        context.signal.throwIfAborted()
        known.add(String(repo.id))
        context.report.read(REPO)
        if (!context.isDryRun) await importRepo(context, repo, earlier)
      }
    }
    await Promise.all([work(), work()])
    for (const { source_id, target } of await context.journal.list(REPO))
      if (!known.has(source_id) && context.isChosen(target))
        context.report.omit(`repository ${target}: it is not at the other server any more; the copy was left as it is`)
  },
}

/** Counts objects to import, for the remaining time, and as the result of a dry run. */
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

type Earlier = Awaited<ReturnType<typeof listEarlierImports>>

async function importRepo(context: ServerContext, repo: SourceRepo, earlier: Earlier): Promise<void> {
  const { journal, source, target, report, signal, core } = context
  const key = { kind: REPO, source_id: String(repo.id) }
  const found = await journal.find(key)
  const value = members(await source.find(`/repos/${repoPath(repo.fullName)}`, signal))
  if (found?.state === 'done') {
    const running = earlier.get(found.target)?.find(({ state }) => state === 'running')?.id
    return importChanges(context, { repo, entry: found, value, running })
  }
  const entry = found ?? {
    ...key,
    target: repo.target,
    state: 'begun' as const,
    import_id: 0,
    read_at: core.clock.now(),
  }
  if (found === undefined) await journal.put(entry)
  const imports = found === undefined ? [] : (earlier.get(repo.target) ?? [])
  const begun = await findImport(context, { repo, imports, id: entry.import_id })
  const importId = begun ?? (await startImport(context, repo, firstImport(value)))
  if (importId === undefined) return
  await journal.put({ ...entry, import_id: importId })
  if (!(await finished(context, repo.fullName, importId))) return journal.put({ ...entry, import_id: 0 })
  if (isTrue(value['archived'])) await target.send('PATCH', `/repos/${repoPath(repo.target)}`, { archived: false })
  // The importing administrator watches what it imports.
  await target.send('DELETE', `/repos/${repoPath(repo.target)}/subscription`)
  await journal.put({ ...entry, import_id: importId, state: 'done', ...(await writtenNow(context, repo.target)) })
  report.written(REPO)
}

interface Started {
  readonly repo: SourceRepo
  readonly imports: NonNullable<ReturnType<Earlier['get']>>
  /** 0 if the journal does not say it. */
  readonly id: number
}

/** An import that an earlier run has started, and that runs or is complete. */
async function findImport({ target }: ServerContext, { repo, imports, id }: Started): Promise<number | undefined> {
  const found = imports.find((each) => (id === 0 || each.id === id) && ['done', 'running'].includes(each.state))
  const isLost = found?.state === 'done' && (await target.find(`/repos/${repoPath(repo.target)}`)) === undefined
  return isLost ? undefined : found?.id
}

function firstImport(value: Members): object {
  const isMirror = isTrue(value['mirror'])
  return {
    private: isTrue(value['private']) || isTrue(value['internal']),
    description: lineOf(value['description']),
    mirror: isMirror,
    ...(isMirror && {
      service: 'git',
      clone_addr: lineOf(value['original_url']),
      mirror_interval: lineOf(value['mirror_interval']),
    }),
  }
}
