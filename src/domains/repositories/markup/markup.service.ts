import type { Core } from '../../../core/module.ts'
import { isPublicOnly, type Viewer, type Visibility } from '../../../core/access/viewer.ts'
import { invalid, tooLarge, unavailable } from '../../../core/platform/errors.ts'
import { TaskError, type TaskKind } from '../../../core/platform/isolation/index.ts'
import { userQueries } from '../../accounts/index.ts'
import type { MarkupMode } from './block-rules.ts'
import type { MarkupInput } from './markup.task.ts'
import type { Referenced } from './references/references.ts'
import type { RenderInput } from './render.ts'

export interface MarkupRequest {
  readonly text: string
  /** `''`, `markdown`, `gfm`, `comment`, `wiki`, or `file`. */
  readonly mode: string
  readonly context: string
  readonly wiki?: boolean
  /** In mode `file`, its extension selects the renderer. */
  readonly filePath?: string
  /** Returns those ids that are commits of the text's repository; absent without a repository. */
  readonly findCommits?: ((ids: readonly string[]) => Promise<readonly string[]>) | undefined
  /** See `SanitizeOptions`. */
  readonly picturesAsLinks?: boolean
  /** Mentions become links when this viewer may see the account. */
  readonly viewer: Viewer
  /** The requester that the work is counted for; see `rateLimitKeyOf`. */
  readonly rateLimitKey: string
}

/** Bytes. */
const MAX_TEXT_SIZE = 1024 * 1024
const TASK: TaskKind<MarkupInput, string | Referenced> = {
  url: new URL('markup.task.ts', import.meta.url).href,
  deadline: 2_000,
}
/** The minimum length of a large text in characters: it may take seconds and all memory of a child process. */
const LARGE_TEXT_SIZE = 64 * 1024
const LARGE_TASK: typeof TASK = { ...TASK, isLong: true }

const MODES = new Map<string, MarkupMode>(
  Object.entries({
    '': 'plain',
    markdown: 'plain',
    gfm: 'document',
    comment: 'comment',
    wiki: 'wiki',
    file: 'document',
  }),
)
const FORMATS = new Map<string, RenderInput['format']>(
  Object.entries({
    md: 'markdown',
    markdown: 'markdown',
    mdown: 'markdown',
    mkd: 'markdown',
    livemd: 'markdown',
    csv: 'csv',
    tsv: 'csv',
    org: 'org',
  }),
)

interface MarkupDeps extends Pick<Core, 'database' | 'taskPool'> {
  rootUrl(): string
}

export type Markup = ReturnType<typeof createMarkup>

export function createMarkup({ database, taskPool, rootUrl }: MarkupDeps) {
  const run = (text: string, input: MarkupInput, rateLimitKey: string): Promise<string | Referenced> =>
    taskPool.run(text.length > LARGE_TEXT_SIZE ? LARGE_TASK : TASK, input, rateLimitKey).catch((error: unknown) => {
      throw refusalOf(error)
    })

  /** NOTE: only accounts that are visible to the viewer: a link proves that an account exists. */
  async function findTargets({
    text,
    viewer,
    rateLimitKey,
    findCommits,
  }: MarkupRequest): Promise<{ mentionable: readonly string[]; commits: readonly string[] }> {
    if (!text.includes('@') && findCommits === undefined) return { mentionable: [], commits: [] }
    const { names, commitIds } = (await run(text, { kind: 'find', text }, rateLimitKey)) as Referenced
    return {
      mentionable:
        names.length === 0 ? [] : await userQueries.listMentionable(database.read, names, mayMention(viewer)),
      commits: commitIds.length === 0 || findCommits === undefined ? [] : await findCommits(commitIds),
    }
  }

  return {
    /**
     * Returns safe HTML. Throws too-large for a text of more than 1 MiB; invalid for an unknown mode, a file type
     * without a renderer and a text that takes too much time or memory; too-many-requests if too many texts are queued.
     */
    async render(request: MarkupRequest): Promise<string> {
      const { text, mode, context, wiki, filePath, rateLimitKey, picturesAsLinks = false } = request
      requireSize(text)
      const resolved = wiki ? 'wiki' : MODES.get(mode)
      if (resolved === undefined) throw invalid(`unsupported render mode: ${mode}`)
      const format =
        mode === 'file' && !wiki ? FORMATS.get(/\.(\w+)$/.exec(filePath ?? '')?.[1]?.toLowerCase() ?? '') : 'markdown'
      if (format === undefined) throw invalid(`unable to find a render for ${filePath}`)
      if (text === '') return ''
      const targets = resolved === 'plain' ? { mentionable: [], commits: [] } : await findTargets(request)
      const input = { ...targets, text, format, mode: resolved, rootUrl: rootUrl(), context, picturesAsLinks }
      return (await run(text, { kind: 'render', input }, rateLimitKey)) as string
    },
  }
}

function requireSize(text: string): void {
  const size = Buffer.byteLength(text)
  if (size > MAX_TEXT_SIZE)
    throw tooLarge(`[Text]: MaxSize: the text has ${size} bytes, at most ${MAX_TEXT_SIZE} are rendered`)
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof TaskError)) return error
  switch (error.reason) {
    case 'time':
      return invalid('the text takes too long to render')
    case 'memory':
      return invalid('the text takes too much memory to render')
    case 'failed':
      return invalid(`the text cannot be rendered: ${error.message}`)
    default:
      return unavailable('the text could not be rendered, try again').causedBy(error)
  }
}

function mayMention(viewer: Viewer): readonly Visibility[] {
  return viewer.kind === 'anonymous' || viewer.account.isRestricted || isPublicOnly(viewer)
    ? ['public']
    : ['public', 'limited']
}
