import { PgpError } from './library.ts'

export type ArmorKind = 'PUBLIC KEY BLOCK' | 'SIGNATURE'

const BEGIN = /-----BEGIN PGP ([A-Z ]{1,40})-----/g
const END = /-----END PGP ([A-Z ]{1,40})-----/g

/**
 * The armored blocks of one kind in a text (RFC 9580 §6.2), in their order; the text between them is ignored.
 * Throws PgpError when there are none, when a block of another kind is among them, and for a text above `maxLength`
 * characters.
 */
export function armoredBlocks(text: string, kind: ArmorKind, maxLength: number): string[] {
  if (text.length > maxLength) throw new PgpError(`more than ${maxLength} characters`)
  const blocks = divide(text.replaceAll('\r', ''))
  const other = blocks.find((block) => block.kind !== kind)
  if (other !== undefined)
    throw new PgpError(
      other.kind.includes('PRIVATE') ? 'the provided key is a private key' : `a PGP ${other.kind} is not a PGP ${kind}`,
    )
  if (blocks.length === 0) throw new PgpError('no armored data found')
  return blocks.map((block) => block.armored)
}

/** NOTE: not by one pattern, which would search the rest of the text again for the end of every begin. */
function divide(text: string): { readonly kind: string; readonly armored: string }[] {
  const lastEnds = new Map([...text.matchAll(END)].map((end) => [end[1]!, end.index]))
  const blocks: { kind: string; armored: string }[] = []
  let from = 0
  for (const { index, 1: kind = '' } of text.matchAll(BEGIN)) {
    if (index < from || (lastEnds.get(kind) ?? -1) < index) continue
    const end = `-----END PGP ${kind}-----`
    from = text.indexOf(end, index) + end.length
    blocks.push({ kind, armored: text.slice(index, from) })
  }
  return blocks
}
