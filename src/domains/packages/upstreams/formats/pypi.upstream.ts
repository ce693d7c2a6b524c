import { escapeHtml } from '../../../../core/platform/html.ts'
import { listOf, members, type Members, parseJson, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import { type ListedFile, listedFile, type UpstreamFormat } from '../upstream-format.ts'

const PROJECT = /^\/simple\/(?<name>[A-Za-z0-9][\w.-]*)\/?$/
/** Below a version that is none: those of the owner have theirs there. */
const FILE = /^\/files\/(?<name>[A-Za-z0-9][\w.-]*)\/-\/(?<file>[A-Za-z0-9][\w.+!-]*)$/
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'

/** PEP 503. */
const normalized = (name: string): string => name.replaceAll(/[-_.]+/g, '-').toLowerCase()

/** The simple index of Python (PEP 503, PEP 691); its address is that of the index. */
export const pypiUpstream: UpstreamFormat = {
  type: 'pypi',
  hasTimes: true,
  parse(path, accept) {
    const found = (PROJECT.exec(path) ?? FILE.exec(decodeURIComponent(path)))?.groups
    if (found === undefined) return undefined
    const name = normalized(found['name']!)
    const wantsJson = found['file'] === undefined && accept.includes(JSON_TYPE)
    const index = {
      path: `${name}/`,
      accept: JSON_TYPE,
      type: wantsJson ? JSON_TYPE : 'text/html;charset=utf-8',
      variant: wantsJson ? 'json' : 'html',
      name,
    }
    return {
      names: [name],
      source: found['file'] === undefined ? { document: index } : { listed: found['file'], index },
    }
  },
  read(text, { name, url, base, newest, variant }) {
    const { name: sent, files: listed } = members(parseJson(text)?.value)
    if (!Array.isArray(listed) || normalized(textOf(sent)) !== name)
      throw new Error('the document is no index of this project in JSON')
    const files = new Map<string, ListedFile>()
    const shown: Members[] = []
    for (const one of listOf(listed).map((file) => members(file))) {
      const [fileName, at] = [textOf(one['filename']), timeOf(one['upload-time'])]
      const { sha256, sha512 } = members(one['hashes'])
      const file = listedFile(textOf(one['url']), url, { sha256: textOf(sha256), sha512: textOf(sha512) })
      const isTooYoung = newest > 0 && (at === undefined || at > newest)
      if (file === undefined || isTooYoung || fileName === '' || files.has(fileName)) continue
      files.set(fileName, file)
      const { 'core-metadata': coreMetadata, 'dist-info-metadata': _, 'gpg-sig': __, ...rest } = one
      const metadataSum = { sha256: textOf(members(coreMetadata)['sha256']) }
      const metadata = listedFile(`${file.url}.metadata`, url, metadataSum)
      if (metadata !== undefined) files.set(`${fileName}.metadata`, metadata)
      shown.push({
        ...rest,
        url: `${base}/files/${name}/-/${encodeURIComponent(fileName)}`,
        ...(metadata && { 'core-metadata': metadataSum }),
      })
    }
    const index = { meta: { 'api-version': '1.0' }, name, files: shown }
    return { text: variant === 'json' ? JSON.stringify(index) : pageOf(name, shown), files }
  },
}

/** The page of a project, for clients that do not read JSON. */
function pageOf(name: string, files: readonly Members[]): string {
  const links = files.map((file) => {
    const sha256 = textOf(members(file['hashes'])['sha256'])
    const python = textOf(file['requires-python'])
    const metadata = textOf(members(file['core-metadata'])['sha256'])
    const isYanked = file['yanked'] !== undefined && file['yanked'] !== false
    const address = `${textOf(file['url'])}${sha256 === '' ? '' : `#sha256=${sha256}`}`
    const attributes = [
      ` href="${escapeHtml(address)}"`,
      python === '' ? '' : ` data-requires-python="${escapeHtml(python)}"`,
      metadata === '' ? '' : ` data-core-metadata="sha256=${metadata}"`,
      isYanked ? ` data-yanked="${escapeHtml(textOf(file['yanked']))}"` : '',
    ]
    return `<a${attributes.join('')}>${escapeHtml(textOf(file['filename']))}</a><br>\n`
  })
  return `<!DOCTYPE html>\n<html><head><title>${escapeHtml(name)}</title></head><body>\n${links.join('')}</body></html>\n`
}
