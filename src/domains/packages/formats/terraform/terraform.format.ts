import { isDomainError } from '../../../../core/platform/errors.ts'
import type { TaskKind } from '../../../../core/platform/isolation/index.ts'
import { errors } from '../../../errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'
import type {
  CreateFormat,
  FormatAnswer,
  FormatRequest,
  FormatRoute,
  FormatTools,
  FormatWrite,
} from '../../registry/format.ts'
import { readMetadata, readShort } from '../../registry/read-metadata.ts'
import { readLock, requireFree, requireLock, StateLocked } from './state-lock.ts'
import type { TerraformState } from './state.task.ts'

const type = 'terraform'
const FILE = 'terraform.tfstate'
const MAX_STATE = 16 * 1024 * 1024
const MAX_LOCK = 16 * 1024
const TASK: TaskKind<Uint8Array, TerraformState> = {
  url: new URL('state.task.ts', import.meta.url).href,
  deadline: 10_000,
}

const STATE = String.raw`/state/(?<name>[\w.-]{1,255})`
const at = (path = ''): RegExp => new RegExp(`^${STATE}${path}$`)
const VERSION = at(String.raw`/versions/(?<version>\d{1,16})`)

/** States of Terraform and OpenTofu, by their HTTP backend (behaviour/orgs-webhooks-actions#packages). */
export const createTerraformFormat: CreateFormat = (contents, tools) => ({
  type,
  routes: [...stateRoutes(contents, tools), ...lockRoutes(contents)],
})

function stateRoutes(contents: PackageContents, tools: FormatTools): FormatRoute[] {
  return [
    {
      method: 'GET',
      access: 'read',
      path: at(),
      handle: async ({ owner, params: { name = '' } }) => show(await contents.getFile(owner, { type, name }, FILE)),
    },
    {
      method: 'POST',
      access: 'write',
      path: at(),
      handle: (request) => whileUnlocked(() => publish(contents, tools, request)),
    },
    {
      method: 'DELETE',
      access: 'write',
      path: at(),
      handle: ({ viewer, owner, params: { name = '' }, query }) =>
        whileUnlocked(async () => {
          await contents.deletePackage(viewer, owner, { type, name }, (lock) => requireLock(lock, query.get('ID')))
          return { status: 200 }
        }),
    },
    {
      method: 'GET',
      access: 'read',
      path: VERSION,
      handle: async ({ owner, params: { name = '', version = '' } }) =>
        show(await contents.getFile(owner, { type, name, version }, FILE)),
    },
    {
      method: 'DELETE',
      access: 'write',
      path: VERSION,
      handle: ({ viewer, owner, params: { name = '', version = '' }, query }) =>
        whileUnlocked(async () => {
          const check = (lock: string): void => requireLock(lock, query.get('ID'))
          await contents.deleteVersion(viewer, owner, { type, name, version }, check)
          return { status: 200 }
        }),
    },
  ]
}

const show = (file: PackageFile): FormatAnswer => ({
  file,
  type: 'application/json',
  headers: { 'content-md5': md5Of(file) },
})

const md5Of = ({ md5 }: Pick<PackageFile, 'md5'>): string => Buffer.from(md5, 'hex').toString('base64')

/** The client shows the holder of the lock, which it expects as the body. */
async function whileUnlocked(handle: () => Promise<FormatAnswer>): Promise<FormatAnswer> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof StateLocked)) throw error
    return { status: 423, type: 'application/json', body: error.holder }
  }
}

/** Sending the same state again is no conflict: clients repeat a request without an answer. */
async function publish(
  contents: PackageContents,
  { taskPool }: FormatTools,
  { viewer, owner, params, query, headers, body, hold }: FormatWrite,
): Promise<FormatAnswer> {
  const { name = '' } = params
  const bytes = await readShort(body, MAX_STATE, 'the state')
  const content = await hold.receive([bytes])
  if ((headers['content-md5'] ?? md5Of(content)) !== md5Of(content)) throw errors.packageHashMismatch()
  const { serial, lineage } = await readMetadata(taskPool, viewer, TASK, bytes)
  const ref = { type, name, version: String(serial) }
  try {
    await contents.publish(viewer, owner, {
      ...ref,
      metadata: JSON.stringify({ lineage }),
      files: [{ name: FILE, content }],
      packageMetadata: (lock) => {
        requireLock(lock, query.get('ID'))
        return lock
      },
    })
    return { status: 201 }
  } catch (error) {
    if (!isDomainError(error, 'conflict')) throw error
    if ((await contents.findFile(owner, ref, FILE))?.sha256 !== content.sha256) throw error
    return { status: 200 }
  }
}

function lockRoutes(contents: PackageContents): FormatRoute[] {
  const path = at('/lock')
  return [
    {
      method: 'POST',
      access: 'write',
      path,
      handle: ({ owner, params: { name = '' }, body }) =>
        whileUnlocked(async () => {
          const { id, text } = readLock(await readText(body))
          await contents.reserve(owner, { type, name }, (held) => {
            requireFree(held, id)
            return text
          })
          return { status: 200 }
        }),
    },
    {
      method: 'DELETE',
      access: 'write',
      path,
      handle: ({ owner, params: { name = '' }, query, body }) =>
        whileUnlocked(async () => {
          const text = await readText(body)
          const id = query.get('ID') ?? (text === '' ? undefined : readLock(text).id)
          await contents.reserve(owner, { type, name }, (held) => {
            // `terraform force-unlock` sends nothing.
            if (id !== undefined) requireFree(held, id)
            return ''
          })
          return { status: 200 }
        }),
    },
  ]
}

const readText = async (body: FormatRequest['body']): Promise<string> =>
  (await readShort(body, MAX_LOCK, 'the lock info')).toString('utf8')
