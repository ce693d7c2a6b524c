import { createHash, createHmac } from 'node:crypto'
import { members, type Members, parseJson } from '../../../../../core/platform/json-members.ts'
import type { OutgoingHead } from '../../../../../core/platform/outgoing/index.ts'
import { createRepeater } from '../../forge-api.ts'
import { ForgeError } from '../../forge-error.ts'
import type { AwsKeys, SourceDeps } from '../../source-location.ts'
import { lineOf } from '../read.ts'

/** The JSON API of AWS CodeCommit (docs.aws.amazon.com/codecommit/latest/APIReference). */
export interface CodecommitApi {
  call(action: string, input: object, signal: AbortSignal): Promise<Members>
  /** Answers of an action that returns a list in parts. */
  pages(action: string, input: object, signal: AbortSignal): AsyncIterable<Members>
}

interface Place {
  /** `https://codecommit.REGION.amazonaws.com`. */
  readonly base: string
  readonly region: string
  readonly keys: AwsKeys
}

const VERSION = 'CodeCommit_20150413'
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** Milliseconds. */
const TIMEOUT = 60_000
const MAX_PAGES = 100_000
const LIMITS = /Throttling|TooManyRequests|RequestLimit/
const AUTH = /AccessDenied|NotAuthorized|UnrecognizedClient|Signature|Token|Authentication|DoesNotExist/

export function createCodecommitApi({ client, patience }: SourceDeps, { base, region, keys }: Place): CodecommitApi {
  const { repeated } = createRepeater({ patience, credentials: [] })
  const { host, hostname, protocol } = new URL(base)

  async function signed(action: string, body: string): Promise<Readonly<Record<string, string>>> {
    const { SignatureV4 } = await import('@smithy/signature-v4')
    const signer = new SignatureV4({
      service: 'codecommit',
      region,
      credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret },
      sha256: Sha256,
    })
    const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${VERSION}.${action}` }
    const request = { method: 'POST', protocol, hostname, path: '/', headers, body }
    return (await signer.sign(request, { signingDate: new Date(patience.clock.now()) })).headers
  }

  const api: CodecommitApi = {
    async call(action, input, signal) {
      const body = JSON.stringify(input)
      const answer = await repeated(signal, async () => {
        const headers = await signed(action, body)
        const options = { method: 'POST', headers, body, maxBytes: MAX_ANSWER_BYTES, timeout: TIMEOUT, signal } as const
        return explained(await client.request(`${base}/`, options))
      })
      const parsed = parseJson(answer.body.toString())
      if (parsed === undefined) throw new ForgeError('failed', 'the other server did not answer with JSON')
      return members(parsed.value)
    },
    async *pages(action, input, signal) {
      let nextToken = ''
      for (let page = 0; page < MAX_PAGES; page++) {
        const answer = await api.call(action, { ...input, ...(nextToken && { nextToken }) }, signal)
        yield answer
        const next = lineOf(answer['nextToken'])
        if (next === '' || next === nextToken) return
        nextToken = next
      }
      throw new ForgeError('failed', 'the list of the other server has no end')
    },
  }
  return api
}

/** AWS answers with status 400 for most errors, and names them in the body. Throws ForgeError. */
function explained<T extends OutgoingHead & { readonly body: Buffer }>(answer: T): T {
  if (answer.status !== 400) return answer
  const parsed = parseJson(answer.body.toString('utf8', 0, 4096))
  const type = lineOf(members(parsed?.value)['__type']).split('#').at(-1)!
  if (LIMITS.test(type)) return { ...answer, status: 429 }
  throw new ForgeError(AUTH.test(type) ? 'auth' : 'failed', `CodeCommit answered ${type || 'with status 400'}`, 400)
}

/** SHA-256 with the interface that the signer expects. */
class Sha256 {
  readonly #hash

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data)
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
