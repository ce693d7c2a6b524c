import { errors } from '../../../errors.ts'
import { badRequest } from '../../../../core/platform/errors.ts'

export const type = 'conan'

/** `{name}/{version}/{user}/{channel}`, where `_` is none. */
export const REFERENCE = '/(?<name>[^/]+)/(?<version>[^/]+)/(?<user>[^/]+)/(?<channel>[^/]+)'

/** A recipe: a package and its version, which has the user and channel after an at sign. */
export interface Recipe {
  readonly type: typeof type
  readonly name: string
  readonly version: string
}

const NAME = /^\w[\w.+-]{1,100}$/
const PART = /^\w[\w.+-]{0,100}$/

/** Throws BadRequest for an invalid reference. */
export function recipeOf(params: Readonly<Record<string, string>>): Recipe {
  const { name = '', version = '', user = '', channel = '' } = params
  if (!NAME.test(name) || ![version, user, channel].every((part) => PART.test(part)))
    throw badRequest('the reference of the recipe is invalid')
  if (user === '_' && channel !== '_') throw badRequest('the reference of the recipe has a channel without a user')
  const suffix = user === '_' ? '' : channel === '_' ? `@${user}` : `@${user}/${channel}`
  return { type, name, version: `${version}${suffix}` }
}

/** The path of a recipe in addresses. */
export function referencePath({ name, version }: Recipe): string {
  const [number = '', group = ''] = version.split('@')
  const [user = '', channel = ''] = group.split('/')
  return [name, number, user || '_', channel || '_'].join('/')
}

const REVISION = /^\w{1,64}$/
const MAX_PATH = 300

/** The name of the folder of a revision of the recipe, or of a package, within the files of the recipe. */
export function folderOf({ rrev = '', pid = '', prev = '' }: Readonly<Record<string, string>>): string {
  if (pid === '') {
    if (!REVISION.test(rrev)) throw errors.conanRevisionInvalid()
    return `${rrev}/export/`
  }
  if (![rrev, pid, prev].every((part) => REVISION.test(part))) throw errors.conanRevisionInvalid()
  return `${rrev}/package/${pid}/${prev}/`
}

/** A relative path without `.` and `..`. */
export function requirePath(path: string): string {
  const isPath = path.split('/').every((part) => /^[\w.+ @~-]+$/.test(part) && part !== '.' && part !== '..')
  if (path.length > MAX_PATH || !isPath) throw badRequest('the name of the file is invalid')
  return path
}
