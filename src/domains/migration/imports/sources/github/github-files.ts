import type { SourceAsset } from '../../source.ts'
import { filesInText } from '../files-in-text.ts'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const NAME = String.raw`[^\s"'()<>\[\]\\]{1,255}`

/** Files that a text links to. Those of private repositories need a session of a browser; their links stay. */
export function filesOf(text: string, { webUrl, path }: { webUrl: string; path: string }): readonly SourceAsset[] {
  const files = [
    `${literal(webUrl)}/user-attachments/assets/${UUID}`,
    String.raw`${literal(webUrl)}/user-attachments/files/\d{1,15}/${NAME}`,
    String.raw`${literal(`${webUrl}/${path}`)}/(?:assets/\d{1,15}/${UUID}|files/\d{1,15}/${NAME})`,
    ...(webUrl === 'https://github.com' ? [String.raw`https://user-images\.githubusercontent\.com/${NAME}`] : []),
  ]
  return filesInText(text, {
    pattern: new RegExp(files.join('|'), 'gi'),
    prefixes: [],
    read: ([url]) => ({ url, name: url.slice(url.lastIndexOf('/') + 1) }),
  })
}

const literal = (text: string): string => RegExp.escape(text)
