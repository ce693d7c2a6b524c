import { errors } from '../../../errors.ts'
import { badRequest, notFound } from '../../../../core/platform/errors.ts'
import type { CreateFormat, FormatRequest } from '../../registry/format.ts'

const type = 'generic'

const NAME = /^[A-Za-z0-9._+-]{1,255}$/
const VERSION = /^[^/\\\p{Cc}]{1,255}$/u
const FILE = /^[A-Za-z0-9 _+=:;.()[\]{}~!@#$%^&-]{1,255}$/

const FILE_PATH = /^\/(?<name>[^/]+)\/(?<version>[^/]+)\/(?<file>[^/]+)$/
const VERSION_PATH = /^\/(?<name>[^/]+)\/(?<version>[^/]+)$/

/** Any files, by name and version (behaviour/orgs-webhooks-actions#packages). */
export const createGenericFormat: CreateFormat = (contents) => ({
  type,
  routes: [
    {
      method: 'GET',
      access: 'read',
      path: FILE_PATH,
      handle: async ({ owner, params }) => {
        const { file, ...ref } = refOf(params)
        return { file: await contents.getFile(owner, ref, file) }
      },
    },
    {
      method: 'PUT',
      access: 'write',
      path: FILE_PATH,
      async handle({ viewer, owner, params, body, hold }) {
        const { file, ...ref } = refOf(params)
        if (!isName(NAME, ref.name)) throw badRequest('invalid package name')
        if (!isName(VERSION, ref.version)) throw badRequest('invalid package version')
        if (!isName(FILE, file)) throw errors.packageFileNameInvalid()
        const content = await hold.receive(body)
        await contents.publish(viewer, owner, { ...ref, files: [{ name: file, content }], extends: true })
        return { status: 201 }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: FILE_PATH,
      async handle({ viewer, owner, params }) {
        const { file, ...ref } = refOf(params)
        await contents.deleteFile(viewer, owner, ref, file)
        return { status: 204 }
      },
    },
    {
      method: 'DELETE',
      access: 'write',
      path: VERSION_PATH,
      async handle({ viewer, owner, params }) {
        const { name, version } = refOf(params)
        await contents.deleteVersion(viewer, owner, { type, name, version })
        return { status: 204 }
      },
    },
  ],
})

const isName = (pattern: RegExp, text: string): boolean =>
  pattern.test(text) && text === text.trim() && text !== '.' && text !== '..'

function refOf({ name = '', version = '', file = '' }: FormatRequest['params']) {
  if (name === '' || version === '') throw notFound('Not found.')
  return { type, name, version, file }
}
