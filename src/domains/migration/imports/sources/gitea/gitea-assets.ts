import type { Members } from '../../../../../core/platform/json-members.ts'
import type { SourceAsset } from '../../source.ts'
import { lineOf, momentOf, wholeOf } from '../read.ts'

const TYPE_LINK = 'external'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MAX_FILES_OF_TEXT = 100

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
    downloads: wholeOf(asset['download_count']),
    createdAt: momentOf(asset['created_at']),
    textUrl: isAttachment ? `/attachments/${uuid}` : undefined,
  }
}

/**
 * Attachments that a text links to, each under every address that it has in the text, longer addresses first, so that
 * replacing one does not break another.
 */
export function filesOf(text: string, { webUrl, path }: { webUrl: string; path: string }): readonly SourceAsset[] {
  const prefixes = [`${webUrl}/${path}`, webUrl, `${new URL(webUrl).pathname.replace(/\/$/, '')}/${path}`, '']
  const found = new Map<string, SourceAsset>()
  for (const match of text.matchAll(/\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi)) {
    if (found.size >= MAX_FILES_OF_TEXT) break
    const prefix = prefixes.find((each) => text.startsWith(each, match.index - each.length))!
    const textUrl = `${prefix}${match[0]}`
    const url = `${webUrl}/attachments/${match[1]}`
    found.set(textUrl, { name: match[1]!, url, kind: 'file', downloads: 0, createdAt: undefined, textUrl })
  }
  return [...found.values()].toSorted((one, other) => other.textUrl!.length - one.textUrl!.length)
}
