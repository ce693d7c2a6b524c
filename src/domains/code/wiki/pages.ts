import { type Commit, type Git, type GitRepo, MODE, type TreeEntry } from '../../../core/git/index.ts'
import { badRequest } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { Repo } from '../../repositories/index.ts'
import { findWiki, wikiTip } from './wiki-pushes.ts'

/**
 * A page has a title, a `sub_url` (its name in URLs) and a file in the wiki's repository (behaviour/repositories#wiki).
 * `Two words` has the `sub_url` `Two-words` and the file `Two-words.md`. Titles that contain a dash end in a mark: `A-b
 * c` has the `sub_url` `A-b+c.-` and the file `A-b c.-.md`.
 */
const MARK = '.-'
const EXTENSION = '.md'
const MAX_FILE_BYTES = 250
const RESERVED = new Set(['_pages', '_new', '_edit', 'raw'])

export function subUrlOf(title: string): string {
  if (title.includes('-') || title.endsWith(EXTENSION)) return escape(title) + MARK
  return escape(title.replaceAll(' ', '-'))
}

export const fileOf = (title: string): string => fileOfSubUrl(subUrlOf(title))

const fileOfSubUrl = (subUrl: string): string => subUrl.replaceAll(/\+|%20/g, ' ') + EXTENSION

/** Title and `sub_url` of the page in a file; undefined if the file is not a page. */
export function namesOfFile(file: string): { readonly title: string; readonly subUrl: string } | undefined {
  if (!file.endsWith(EXTENSION) || file === EXTENSION) return undefined
  const base = file.slice(0, -EXTENSION.length)
  const title = base.endsWith(MARK) ? base.slice(0, -MARK.length) : base.replaceAll('-', ' ')
  return { title: unescape(title), subUrl: base.replaceAll(' ', '+') }
}

/**
 * Candidate files for a name, in order of preference: as a `sub_url`, as a decoded `sub_url` (a plus sign is a space,
 * or itself), as a title, as a file name without extension.
 */
export function filesOf(name: string): string[] {
  const decoded = [name.split('+').map(escape).join('+'), escape(name)]
  return [...new Set([...[name, ...decoded].map(fileOfSubUrl), fileOf(name), name + EXTENSION])]
}

/**
 * Whether a name that `filesOf` does not cover refers to this page: its title or `sub_url`, or one of them decoded or
 * encoded once. For example, the page `C++ in a-z` has the `sub_url` `C%2B%2B+in+a-z.-`, which a URL decodes to
 * `C+++in+a-z.-`.
 */
export function isNamed(file: string, name: string): boolean {
  const names = namesOfFile(file)
  if (names === undefined) return false
  const { title, subUrl } = names
  return title === name || subUrl === name || decode(subUrl) === name || title === unescape(name)
}

/** Returns the trimmed title. Throws BadRequest if it is empty, reserved, too long or has control characters. */
export function requireTitle(text: string): string {
  const title = text.trim()
  if (title === '') throw badRequest('the title of a wiki page must not be empty')
  if (RESERVED.has(title.toLowerCase())) throw badRequest(`wiki title is reserved: ${title}`)
  if (!title.isWellFormed() || /\p{Cc}/u.test(title))
    throw badRequest('the title of a wiki page must not have control characters')
  if (Buffer.byteLength(fileOf(title)) > MAX_FILE_BYTES) throw badRequest('the title of the wiki page is too long')
  return title
}

/** Query-string encoding: letters, digits and `-_.~` are unchanged, a space becomes a plus. */
const escape = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

const unescape = (text: string): string => decode(text.replaceAll('+', ' ')) ?? text

/** Decodes a URL segment as a router does; undefined for an invalid encoding. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export interface WikiPageMeta {
  readonly title: string
  /** The name of the page in URLs. */
  readonly subUrl: string
  readonly lastCommit: Commit
}

export interface WikiPageView extends WikiPageMeta {
  readonly content: Buffer
  readonly commitCount: number
  readonly sidebar: Buffer
  readonly footer: Buffer
}

/** Newest first. */
interface WikiCommits {
  readonly commits: readonly Commit[]
  readonly total: number
}

/** The files of a wiki at one commit. */
interface WikiFiles {
  readonly wiki: GitRepo
  readonly tip: string
  readonly entries: readonly TreeEntry[]
}

const REVISIONS_PER_PAGE = 50
const SIDEBAR = fileOf('_Sidebar')
const FOOTER = fileOf('_Footer')
const ENCODED = /[+% ]/

export type PageReads = ReturnType<typeof createPageReads>

export function createPageReads({ git, maxPageBytes }: { git: Git; maxPageBytes: number }) {
  async function openPages(repo: Repo): Promise<WikiFiles> {
    const wiki = await findWiki(git, repo)
    const tip = wiki && (await wikiTip(wiki, repo)).oid
    if (wiki === undefined || tip === undefined) throw errors.wikiEmpty()
    return readFiles(wiki, tip)
  }

  async function open(repo: Repo, name: string): Promise<WikiFiles & { page: TreeEntry }> {
    const files = await openPages(repo)
    const page = findPage(files.entries, name)
    if (page === undefined) throw errors.wikiPageNotFound(name)
    return { ...files, page }
  }

  return {
    /** Looks up by `sub_url` or title. Throws NotFound if the page or the wiki does not exist. */
    async get(repo: Repo, name: string): Promise<WikiPageView> {
      const { wiki, tip, entries, page } = await open(repo, name)
      const read = async (entry: TreeEntry | undefined): Promise<Buffer> =>
        entry ? wiki.objects.blob(entry.oid, maxPageBytes) : Buffer.alloc(0)
      const [content, sidebar, footer, commitCount, last] = await Promise.all([
        read(page),
        read(findFile(entries, SIDEBAR)),
        read(findFile(entries, FOOTER)),
        wiki.history.count({ tip, path: page.name }),
        wiki.lastCommits.ofPath(tip, page.name),
      ])
      const { title, subUrl } = namesOfFile(page.name)!
      // COMPAT: for a page requested by its title, the title is the `sub_url` (test/code/wiki.test.ts).
      const answered = name.includes(' ') ? encodeURIComponent(name) : subUrl
      return {
        title,
        subUrl: answered,
        content,
        sidebar,
        footer,
        commitCount,
        lastCommit: await wiki.objects.commit(last ?? tip),
      }
    },
    /**
     * Sorted by file name. COMPAT: paging and total count every entry of the folder, also those that are not pages
     * (test/code/wiki.test.ts).
     */
    async list(repo: Repo, paging: Paging): Promise<Page<WikiPageMeta>> {
      const { wiki, tip, entries } = await openPages(repo)
      const sorted = entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
      const last = await wiki.lastCommits.ofDirectory(tip, '')
      const pages = sorted.slice(paging.offset, paging.offset + paging.limit).filter((entry) => isPage(entry))
      const items = await Promise.all(
        pages.map(async ({ name }) => ({
          ...namesOfFile(name)!,
          lastCommit: await wiki.objects.commit(last.get(name) ?? tip),
        })),
      )
      return { items, total: entries.length }
    },
    /** Commits of a page, newest first, 50 per page. Throws the NotFound of `get`. */
    async revisions(repo: Repo, name: string, page: number): Promise<WikiCommits> {
      const { wiki, tip, page: entry } = await open(repo, name)
      const query = { tip, path: entry.name }
      const [commits, total] = await Promise.all([
        wiki.history.list(query, { skip: (page - 1) * REVISIONS_PER_PAGE, limit: REVISIONS_PER_PAGE }),
        wiki.history.count(query),
      ])
      return { commits, total }
    },
  }
}

export async function readFiles(wiki: GitRepo, tip: string): Promise<WikiFiles> {
  return { wiki, tip, entries: await wiki.objects.tree(await wiki.revisions.peel(tip, 'tree')) }
}

export function findPage(entries: readonly TreeEntry[], name: string): TreeEntry | undefined {
  for (const file of filesOf(name)) {
    const entry = findFile(entries, file)
    if (entry !== undefined) return entry
  }
  return ENCODED.test(name) ? entries.find((entry) => isPage(entry) && isNamed(entry.name, name)) : undefined
}

const findFile = (entries: readonly TreeEntry[], file: string): TreeEntry | undefined =>
  entries.find((entry) => entry.name === file && isPage(entry))

const isPage = ({ name, type, mode }: TreeEntry): boolean =>
  type === 'blob' && mode !== MODE.symlink && namesOfFile(name) !== undefined
