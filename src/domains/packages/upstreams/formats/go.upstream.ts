import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { unescapeModulePath } from '../../formats/go/go-module.ts'
import type { UpstreamFormat } from '../upstream-format.ts'

const PATH =
  /^(?<module>[\w.~!-]+(?:\/[\w.~!-]+)*)\/(?:@latest|@v\/(?:list|(?<version>[\w.+!-]+)\.(?<kind>info|mod|zip)))$/
/** Other versions, such as branches, change. */
const VERSION = /^v\d+\.\d+\.\d+/
const TYPES: Readonly<Record<string, string>> = {
  info: 'application/json',
  mod: 'text/plain;charset=utf-8',
  zip: 'application/zip',
}

/**
 * A proxy of Go modules; its address is that of `GOPROXY`. It declares no digests: the go command compares those of the
 * checksum database.
 */
export const goUpstream: UpstreamFormat = {
  type: 'go',
  hasTimes: false,
  parse(path) {
    const text = decodeURIComponent(path.slice(1))
    const { module: escaped, version, kind = '' } = PATH.exec(text)?.groups ?? {}
    const name = escaped && unescapeModulePath(escaped)
    if (name === undefined || name === '') return undefined
    const type = TYPES[kind] ?? (text.endsWith('/@latest') ? 'application/json' : 'text/plain;charset=utf-8')
    const isFixed = version !== undefined && VERSION.test(version)
    return { names: [name], type, source: isFixed ? { path: text, digests: [] } : { document: { path: text, type } } }
  },
  isDocument(bytes, path) {
    const text = bytes.toString('utf8')
    if (path.endsWith('/list')) return text.split('\n').every((line) => line.trim() === '' || VERSION.test(line))
    if (/\.(?:mod|zip)$/.test(path)) return !text.trimStart().startsWith('<')
    return textOf(members(parseJson(text)?.value)['Version']) !== ''
  },
}
