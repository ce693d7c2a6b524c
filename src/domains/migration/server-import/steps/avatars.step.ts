import { ForgeError } from '../../imports/forge-error.ts'
import { lineOf } from '../../imports/sources/read.ts'
import { once, part, send, type ServerContext, type ServerStep, sourceAccounts } from '../server-context.ts'
import type { ImportedRepo } from './repositories.step.ts'

/** The address of an image that somebody has uploaded; generated ones end in the MD5 of an e-mail address. */
const UPLOADED = /\/(?:avatars|repo-avatars)\/[\da-f]{64}(?:\?|$)/
const MAX_BYTES = 8 * 1024 * 1024

interface Avatar {
  readonly id: string
  /** The name of the account, organization or repository in the report, such as `ann/desk`. */
  readonly name: string
  readonly url: string
  /** The path at which it is set on this server. */
  readonly path: string
  readonly as?: string
}

/** Avatars of accounts and organizations. */
async function* avatars(context: ServerContext): AsyncGenerator<Avatar> {
  for await (const { id, login, name, value } of sourceAccounts(context, 'account'))
    yield { id: `user ${id}`, name: login, url: lineOf(value['avatar_url']), path: '/user/avatar', as: name }
  for await (const { id, login, name, value } of sourceAccounts(context, 'organization'))
    yield {
      id: `organization ${id}`,
      name: login,
      url: lineOf(value['avatar_url']),
      path: `/orgs/${part(name)}/avatar`,
    }
}

export const avatarOf = ({ id, importId, fullName, path, value }: ImportedRepo): Avatar => ({
  id: `repository ${id} ${importId}`,
  name: fullName,
  url: lineOf(value['avatar_url']),
  path: `/repos/${path}/avatar`,
})

export const avatarsStep: ServerStep = {
  name: 'avatars',
  async run(context) {
    for await (const avatar of avatars(context)) await writeAvatar(context, avatar)
  },
}

export async function writeAvatar(context: ServerContext, { id, name, url, path, as }: Avatar): Promise<void> {
  if (!UPLOADED.test(url)) return
  const what = `avatar of ${name}`
  await once(context, { kind: 'avatar', id, target: path, value: url }, async () => {
    const image = await download(context, url).catch((error: unknown) => {
      if (!(error instanceof ForgeError)) throw error
      context.report.omit(`${what}: ${error.message}`)
    })
    if (image === undefined) return
    await send(context, { method: 'POST', path, body: { image: image.toString('base64') }, as, what })
  })
}

/** A file of the other server. Throws ForgeError. */
export const download = ({ source, signal }: ServerContext, url: string): Promise<Buffer> =>
  source.download(url, { signal }, async (bytes) => {
    const read: Buffer[] = []
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > MAX_BYTES) throw new ForgeError('failed', `it is larger than ${MAX_BYTES} bytes`)
      read.push(chunk)
    }
    return Buffer.concat(read)
  })
