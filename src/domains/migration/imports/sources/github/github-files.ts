import type { SourceAsset } from '../../source.ts'

const MAX_FILES_OF_TEXT = 100
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
  const found = new Map<string, SourceAsset>()
  for (const [url] of text.matchAll(new RegExp(files.join('|'), 'gi'))) {
    if (found.size >= MAX_FILES_OF_TEXT) break
    const name = url.slice(url.lastIndexOf('/') + 1)
    found.set(url, { name, url, kind: 'file', downloads: 0, createdAt: undefined, textUrl: url })
  }
  return [...found.values()].toSorted((one, other) => other.textUrl!.length - one.textUrl!.length)
}

const literal = (text: string): string => RegExp.escape(text)
