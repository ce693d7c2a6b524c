import type { Core, Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import {
  applyChanges,
  type GitRepo,
  type Identity,
  MODE,
  RefConflictError,
  retryMoved,
  type TreeChange,
  type TreeEntry,
} from '../../../core/git/index.ts'
import { badRequest, engineErrors, isDomainError, unavailable } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { KeyedMutex, type SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'
import { decodeBase64 } from '../contents/write/base64.ts'
import { commitIdentity, userQueries } from '../../accounts/index.ts'
import {
  type CommitSigner,
  type Repo,
  parseRepoSettings,
  repoQueries,
  accessQueries,
  gitWriter,
} from '../../repositories/index.ts'
import { fileOf, namesOfFile, requireTitle, subUrlOf, findPage, readFiles } from './pages.ts'
import { wikiMode } from './wiki-access.policy.ts'
import { deleteWiki, ensureWiki, findWiki, wikiTip } from './wiki-pushes.ts'

export interface PageEdit {
  /** If empty or absent, the title does not change. */
  readonly title?: string | undefined
  /** Standard base64. If absent, the content does not change. */
  readonly content?: string | undefined
  /** The commit message; the default contains the name of the page. */
  readonly message?: string | undefined
}

export interface WikiDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly quota: Services['quota']
  readonly noReplyDomain: string
  /** Locks that all processes share; undefined if this is the only process. */
  readonly locks: SharedLocks | undefined
  /** Signs the commits of pages. */
  readonly signer: CommitSigner | undefined
}

/** A change of pages, computed from the files at the tip while the wiki is locked. */
interface Plan {
  readonly event: 'wiki.created' | 'wiki.edited' | 'wiki.deleted'
  readonly message: string
  /** `sub_url` of the page, for the event. */
  readonly page: string
  changes(blob: (content: Uint8Array) => string): readonly TreeChange[]
}

type Planner = (entries: readonly TreeEntry[]) => Plan

const MAX_ATTEMPTS = 5

/** Calls `open` only if the actor may write: a refused write creates no wiki. */
type Write = (actor: SignedIn, repo: Repo, open: () => Promise<GitRepo>, plan: Planner) => Promise<void>

export type PageWrites = ReturnType<typeof createPageWrites>

export function createPageWrites(deps: WikiDeps) {
  const { git, quota } = deps
  const write = createWrite(deps)
  return {
    /** Returns the page's `sub_url`. Throws BadRequest for a bad or existing title and for content that is not base64. */
    async create(actor: SignedIn, repo: Repo, edit: PageEdit): Promise<string> {
      const title = requireTitle(edit.title ?? '')
      const content = contentOf(edit.content ?? '')
      await quota.require(repo.owner, 'size:assets:wiki')
      const file = fileOf(title)
      await write(
        actor,
        repo,
        () => ensureWiki(git, repo),
        (entries) => {
          requireFree(entries, title)
          return {
            event: 'wiki.created',
            page: subUrlOf(title),
            message: messageOf(edit, `Add "${title}"`),
            changes: (blob) => [{ path: file, mode: MODE.file, oid: blob(content) }],
          }
        },
      )
      return subUrlOf(title)
    },
    /** Returns the page's new `sub_url`. Creates the page if it does not exist. */
    async edit(actor: SignedIn, repo: Repo, name: string, edit: PageEdit): Promise<string> {
      const title = edit.title?.trim() ? requireTitle(edit.title) : undefined
      const content = edit.content === undefined ? undefined : contentOf(edit.content)
      await quota.require(repo.owner, 'size:assets:wiki')
      let subUrl = ''
      await write(
        actor,
        repo,
        () => ensureWiki(git, repo),
        (entries) => {
          const before = findPage(entries, name)
          const file = title === undefined ? (before?.name ?? fileOf(requireTitle(name))) : fileOf(title)
          if (title !== undefined && file !== before?.name) requireFree(entries, title)
          subUrl = namesOfFile(file)!.subUrl
          const isNew = before === undefined
          return {
            event: isNew ? 'wiki.created' : 'wiki.edited',
            page: subUrl,
            message: messageOf(edit, `Update "${subUrl}"`),
            changes: (blob) => [
              ...(before && before.name !== file ? [{ path: before.name, delete: true } as const] : []),
              {
                path: file,
                mode: MODE.file,
                oid: content === undefined && before ? before.oid : blob(content ?? Buffer.alloc(0)),
              },
            ],
          }
        },
      )
      return subUrl
    },
    /** Throws NotFound if the wiki or the page does not exist. */
    async delete(actor: SignedIn, repo: Repo, name: string): Promise<void> {
      const open = async (): Promise<GitRepo> => {
        const wiki = await findWiki(git, repo)
        if (wiki === undefined) throw errors.wikiEmpty()
        return wiki
      }
      await write(actor, repo, open, (entries) => {
        const before = findPage(entries, name)
        if (before === undefined) throw errors.wikiPageNotFound(name)
        const { subUrl } = namesOfFile(before.name)!
        return {
          event: 'wiki.deleted',
          page: subUrl,
          message: `Delete page "${subUrl}"\n`,
          changes: () => [{ path: before.name, delete: true }],
        }
      })
    },
  }
}

/** Commits the changes of each wiki one at a time and records them in the database. */
function createWrite({ database, git, clock, events, noReplyDomain, locks, signer }: WikiDeps): Write {
  const writing = new KeyedMutex({ name: 'wikis', locks })

  return async (actor, repo, open, plan) => {
    const user = await userQueries.findById(database.read, actor.account.id)
    if (user === undefined) throw engineErrors.tokenRequired()
    const author: Identity = {
      ...commitIdentity(user, noReplyDomain),
      time: Math.floor(clock.now() / 1000),
      offset: 0,
    }
    const committed = await writing.run(String(repo.id), async () => {
      const now = await accessQueries.renew(database.read, actor, repo)
      const isGloballyEditable = parseRepoSettings(now.repo.settings).globallyEditableWiki
      const mode = wikiMode(now.actor, { units: now.repo.units, access: now.access, isGloballyEditable })
      if (mode < AccessMode.write) throw errors.repoWriteRequired()
      const wiki = await open()
      // NOTE: a concurrent push may update the branch: the plan is computed again on the new tip.
      return wiki.writing(() =>
        retryMoved(MAX_ATTEMPTS, () => commit(wiki, repo, { author, signer }, plan)).catch(failed),
      )
    })
    const origin = { actor, repoId: repo.id, at: clock.now() }
    const exists = await database.transaction(async (tx) => {
      if ((await repoQueries.findById(tx, repo.id)) === undefined) return false
      await repoQueries.setWikiTip(tx, repo.id, { oid: committed.oid, updatedAt: origin.at })
      await events.append(tx, committed.plan.event, origin, {
        repo_id: repo.id,
        page: committed.plan.page,
        comment: committed.plan.message.trim(),
      })
      return true
    })
    if (exists) return
    await deleteWiki(git, repo)
    throw errors.repoNotFound()
  }
}

function failed(error: unknown): never {
  throw error instanceof RefConflictError ? unavailable('the wiki changes too often, try again') : error
}

interface Signature {
  readonly author: Identity
  readonly signer: CommitSigner | undefined
}

async function commit(
  wiki: GitRepo,
  repo: Repo,
  { author, signer }: Signature,
  planner: Planner,
): Promise<{ readonly plan: Plan; readonly oid: string }> {
  const { ref, oid: tip } = await wikiTip(wiki, repo)
  const entries = tip === undefined ? [] : (await readFiles(wiki, tip)).entries
  const plan = planner(entries)
  const writer = wiki.writer()
  const base = tip === undefined ? undefined : await wiki.revisions.peel(tip, 'tree')
  const tree = await applyChanges(
    writer,
    base,
    plan.changes((content) => writer.blob(content)),
  )
  if (tip !== undefined && tree === base) return { plan, oid: tip }
  const oid = await gitWriter.writeCommit(
    writer,
    { tree, parents: tip === undefined ? [] : [tip], author, committer: author, message: plan.message },
    signer,
  )
  await writer.flush()
  await wiki.refs.update([{ ref, old: tip ?? wiki.zeroOid, new: oid }])
  return { plan, oid }
}

function requireFree(entries: readonly TreeEntry[], title: string): void {
  const file = fileOf(title)
  if (entries.some((entry) => entry.name === file)) throw errors.wikiPageExists(file)
}

const messageOf = ({ message }: PageEdit, fallback: string): string => `${message?.trim() || fallback}\n`

/** Throws BadRequest, not Invalid, for content that is not base64 (behaviour/repositories#wiki). */
function contentOf(text: string): Buffer {
  try {
    return decodeBase64(text)
  } catch (error) {
    throw isDomainError(error, 'invalid') ? badRequest(error.message) : error
  }
}
