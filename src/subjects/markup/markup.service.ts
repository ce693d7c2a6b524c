import { isPublicOnly, type Viewer, type Visibility } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import { invalid } from '../../platform/errors.ts'
import { listMentionable } from '../users/index.ts'
import type { MarkupMode } from './context.ts'
import { RenderPool } from './pool.ts'
import { commitIds, mentionedNames } from './references.ts'
import type { RenderInput } from './render.ts'

export interface MarkupRequest {
  readonly text: string
  /** `''`, `markdown`, `gfm`, `comment`, `wiki`, or `file`. */
  readonly mode: string
  readonly context: string
  readonly wiki?: boolean
  /** With mode `file`: its extension picks the renderer. */
  readonly filePath?: string
  /** Returns those ids that are commits of the repository of the text; absent without a repository. */
  readonly findCommits?: ((ids: readonly string[]) => Promise<readonly string[]>) | undefined
  /** Mentions become links when this viewer may see the account. */
  readonly viewer: Viewer
}

export interface Markup {
  /** Safe HTML. Throws invalid for an unknown mode, a file type without a renderer, a text that takes too long. */
  render(request: MarkupRequest): Promise<string>
  close(): Promise<void>
}

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

export function createMarkup({ database, rootUrl }: { database: Database; rootUrl: () => string }): Markup {
  const pool = new RenderPool()

  /** NOTE: only accounts that the viewer may see: a link proves that an account exists. */
  async function mentionable(text: string, viewer: Viewer): Promise<string[]> {
    const names = mentionedNames(text)
    return names.length === 0 ? [] : listMentionable(database.read, names, mayMention(viewer))
  }

  return {
    async render({ text, mode, context, wiki, filePath, viewer, findCommits }) {
      const resolved = wiki ? 'wiki' : MODES.get(mode)
      if (resolved === undefined) throw invalid(`unsupported render mode: ${mode}`)
      const format =
        mode === 'file' && !wiki ? FORMATS.get(/\.(\w+)$/.exec(filePath ?? '')?.[1]?.toLowerCase() ?? '') : 'markdown'
      if (format === undefined) throw invalid(`unable to find a render for ${filePath}`)
      if (text === '') return ''
      const names = resolved === 'plain' ? [] : await mentionable(text, viewer)
      const ids = resolved === 'plain' || findCommits === undefined ? [] : commitIds(text)
      const commits = ids.length === 0 ? [] : await findCommits!(ids)
      return pool.render({ commits, text, format, mode: resolved, rootUrl: rootUrl(), context, mentionable: names })
    },
    close: () => pool.close(),
  }
}

function mayMention(viewer: Viewer): readonly Visibility[] {
  return viewer.kind === 'anonymous' || viewer.account.isRestricted || isPublicOnly(viewer)
    ? ['public']
    : ['public', 'limited']
}
