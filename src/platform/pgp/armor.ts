import { PgpError } from './library.ts'

export type ArmorKind = 'PUBLIC KEY BLOCK' | 'SIGNATURE'

const BLOCK = /-----BEGIN PGP ([A-Z ]{1,40})-----[\s\S]*?-----END PGP \1-----/g

/**
 * The armored blocks of one kind in a text (RFC 9580 §6.2), in their order; whatever stands around them is left out.
 * Throws PgpError when there are none, when a block of another kind is among them, and for a text above `maxLength`
 * characters.
 */
export function armoredBlocks(text: string, kind: ArmorKind, maxLength: number): string[] {
  if (text.length > maxLength) throw new PgpError(`more than ${maxLength} characters`)
  const blocks = [...text.replaceAll('\r', '').matchAll(BLOCK)]
  const other = blocks.find((block) => block[1] !== kind)
  if (other !== undefined)
    throw new PgpError(
      /PRIVATE/.test(other[1]!) ? 'the provided key is a private key' : `a PGP ${other[1]} is not a PGP ${kind}`,
    )
  if (blocks.length === 0) throw new PgpError('no armored data found')
  return blocks.map((block) => block[0])
}
