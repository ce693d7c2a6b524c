import { isText } from './content.ts'

const SIGNS: readonly (readonly [type: string, bytes: string, at?: number])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '57454250', 8],
  ['image/bmp', '424d'],
  ['image/avif', '66747970617669', 4],
  ['video/mp4', '66747970', 4],
  ['video/webm', '1a45dfa3'],
  ['audio/mpeg', '494433'],
  ['audio/wave', '57415645', 8],
  ['application/ogg', '4f676753'],
  ['application/pdf', '255044462d'],
  ['application/zip', '504b0304'],
  ['application/x-gzip', '1f8b08'],
  ['application/x-7z-compressed', '377abcaf271c'],
  ['application/x-rar-compressed', '526172211a07'],
]

/** The media type that the first bytes of a file show: its signature, else text or plain bytes. */
export function sniffMediaType(head: Buffer): string {
  const found = SIGNS.find(([, bytes, at = 0]) => head.subarray(at, at + bytes.length / 2).toString('hex') === bytes)
  if (found) return found[0]
  if (!isText(head.subarray(0, 512))) return 'application/octet-stream'
  return /^\s*(?:<!doctype html|<html|<head|<body|<script)/i.test(head.toString('latin1', 0, 512))
    ? 'text/html'
    : 'text/plain'
}
