import type { Members } from '../../../../../core/platform/json-members.ts'
import type { SourceAsset } from '../../source.ts'
import { filesInText } from '../files-in-text.ts'
import { lineOf, parseTime, countOf } from '../read.ts'

const TYPE_LINK = 'external'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * NOTE: the root address that a server is configured with may be unreachable: files are fetched from the requested
 * host.
 */
export function readAsset(asset: Members, webUrl: string): SourceAsset {
  const uuid = lineOf(asset['uuid'])
  const kind = asset['type'] === TYPE_LINK ? 'link' : 'file'
  const isAttachment = kind === 'file' && UUID.test(uuid)
  return {
    name: lineOf(asset['name']),
    url: isAttachment ? `${webUrl}/attachments/${uuid}` : lineOf(asset['browser_download_url']),
    kind,
    downloads: countOf(asset['download_count']),
    createdAt: parseTime(asset['created_at']),
    textUrl: isAttachment ? `/attachments/${uuid}` : undefined,
  }
}

const IN_TEXT = /\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi

export const filesOf = (text: string, { webUrl, path }: { webUrl: string; path: string }): readonly SourceAsset[] =>
  filesInText(text, {
    pattern: IN_TEXT,
    prefixes: [`${webUrl}/${path}`, webUrl, `${new URL(webUrl).pathname.replace(/\/$/, '')}/${path}`],
    read: ([, uuid]) => ({ url: `${webUrl}/attachments/${uuid}`, name: uuid! }),
  })
