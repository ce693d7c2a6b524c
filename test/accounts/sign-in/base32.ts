const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The bytes of a secret as authenticator apps take it. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((char) => ALPHABET.indexOf(char).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
