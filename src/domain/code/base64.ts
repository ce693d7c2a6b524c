import { invalid } from '../../platform/errors.ts'

const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Bytes of standard base64, line breaks ignored; Invalid names the first byte that does not belong (reference git-data §9). */
export function decodeBase64(text: string): Buffer {
  const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text
  if (!FORM.test(plain)) throw invalid(`illegal base64 data at input byte ${firstIllegal(text)}`)
  return Buffer.from(plain, 'base64')
}

function firstIllegal(text: string): number {
  const odd = text.search(/[^A-Za-z0-9+/\r\n]/)
  return odd === -1 ? Math.trunc(text.length / 4) * 4 : Buffer.byteLength(text.slice(0, odd))
}
