import { type Command, CONFIG_OPTIONS, type Option } from './command.ts'

const OWNER: Option = { type: 'string', value: 'NAME', help: 'user or organization', required: true }
const TYPE: Option = { type: 'string', value: 'TYPE', help: 'type of packages, such as npm', required: true }

/** Commands about the registries of packages. */
export const packageCommands: readonly Command[] = [
  {
    words: 'admin packages upstream list',
    summary: 'List the upstream registries of an owner: type, address, allowed names, days, state; separated by tabs',
    options: { owner: OWNER, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-upstream.ts')).listUpstreams,
  },
  {
    words: 'admin packages upstream set',
    summary: 'Create or replace the upstream registry of an owner for a type of packages',
    options: {
      owner: OWNER,
      type: TYPE,
      url: { type: 'string', value: 'URL', help: 'address of the registry, as its client uses it', required: true },
      allow: {
        type: 'string',
        multiple: true,
        value: 'PATTERN',
        help: 'names of packages that are looked up, with * for any characters; all if omitted',
      },
      'min-age-days': { type: 'string', value: 'DAYS', help: 'omit younger versions' },
      offline: { type: 'boolean', help: 'give out stored copies only' },
      username: { type: 'string', value: 'NAME', help: 'user name there, unless the password is a token' },
      'password-file': {
        type: 'string',
        value: 'FILE',
        help: 'password or token; the former one stays if omitted and the server is the same',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-upstream.ts')).setUpstream,
  },
  {
    words: 'admin packages upstream delete',
    summary: 'Delete the upstream registry of an owner for a type of packages, with its stored copies',
    options: { owner: OWNER, type: TYPE, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-upstream.ts')).deleteUpstream,
  },
]
