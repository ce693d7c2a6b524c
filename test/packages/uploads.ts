import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'

/** A request to publish, of each type. */
export const UPLOADS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  alpine: ['PUT', '/v3/main'],
  arch: ['PUT', '/extra'],
  cargo: ['PUT', '/api/v1/crates/new'],
  chef: ['POST', '/api/v1/cookbooks'],
  composer: ['PUT', ''],
  conan: ['PUT', '/v2/conans/tool/1.0/_/_/revisions/1/files/conanfile.py'],
  conda: ['PUT', '/tool-1.0-0.conda'],
  cran: ['PUT', '/src'],
  debian: ['PUT', '/pool/bookworm/main/upload'],
  generic: ['PUT', '/tool/1.0/f'],
  go: ['PUT', '/upload'],
  helm: ['POST', '/api/charts'],
  maven: ['PUT', '/team/tool/1.0/tool-1.0.jar'],
  npm: ['PUT', '/tool'],
  nuget: ['PUT', ''],
  pub: ['POST', '/api/packages/versions/new/upload'],
  pypi: ['POST', '/'],
  rpm: ['PUT', '/upload'],
  rubygems: ['POST', '/api/v1/gems'],
  swift: ['PUT', '/team/tool/1.0.0'],
  terraform: ['POST', '/state/prod'],
  vagrant: ['PUT', '/tool/1.0.0/virtualbox.box'],
}

/** The parts of a form with files, of the types that have one. */
const FORMS: Readonly<Record<string, string>> = {
  chef: 'tarball',
  nuget: 'package',
  pub: 'file',
  pypi: 'content',
  swift: 'source-archive',
}

interface Upload {
  readonly body: string | Uint8Array<ArrayBuffer> | FormData
  readonly headers: Readonly<Record<string, string>>
}

/** A request that publishes a file with this content, whatever it is, as the client of the type sends it. */
export function uploadOf(type: string, content: string): Upload {
  const bytes = new Uint8Array(Buffer.from(content))
  const part = FORMS[type]
  if (part !== undefined) {
    const form = new FormData()
    const sum = createHash('sha256').update(bytes).digest('hex')
    for (const [name, value] of Object.entries({ name: 'tool', version: '1.0', sha256_digest: sum }))
      if (type === 'pypi') form.append(name, value)
    form.append(part, new File([bytes], 'tool-1.0.zip'))
    return { body: form, headers: type === 'swift' ? { accept: 'application/vnd.swift.registry.v1+json' } : {} }
  }
  if (type === 'npm') return { body: npmDocument(bytes), headers: { 'content-type': 'application/json' } }
  return { body: type === 'cargo' ? crate(bytes) : bytes, headers: { 'content-type': 'application/octet-stream' } }
}

const npmDocument = (bytes: Uint8Array): string => {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const version = { name: 'tool', version: '1.0.0', dist: { integrity } }
  const attachment = { data: Buffer.from(bytes).toString('base64') }
  return JSON.stringify({
    name: 'tool',
    versions: { '1.0.0': version },
    _attachments: { 'tool-1.0.0.tgz': attachment },
  })
}

function crate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const metadata = Buffer.from(JSON.stringify({ name: 'tool', vers: '1.0.0', deps: [], features: {} }))
  const length = (part: Uint8Array): Buffer => {
    const written = Buffer.alloc(4)
    written.writeUInt32LE(part.length)
    return written
  }
  return new Uint8Array(Buffer.concat([length(metadata), metadata, length(bytes), bytes]))
}

/** The body of a refusal in the form of the client of the type. */
export function refusalOf(type: string, status: number, message: string, code: string): string {
  const shapes: Readonly<Record<string, object>> = {
    cargo: { ok: false, errors: [{ detail: message }] },
    chef: { error_messages: [message] },
    composer: { errors: [{ status, message }] },
    conan: { message },
    conda: { reason: STATUS_CODES[status], message },
    helm: { error: message },
    npm: { error: message },
    nuget: { Message: message },
    pub: { error: { code, message } },
    swift: { status, detail: message },
    vagrant: { errors: [message] },
  }
  const shape = shapes[type]
  return shape === undefined ? `${message}\n` : JSON.stringify(shape)
}
