import { type Command, CONFIG_OPTIONS, type Option } from './command.ts'

const SERVERS: Readonly<Record<string, Option>> = {
  from: { type: 'string', value: 'URL', help: 'address of the other server (Gitea, Forgejo or Ingot)', required: true },
  'token-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with an access token of an administrator there, with all scopes',
    required: true,
  },
  to: { type: 'string', value: 'URL', help: 'address at which this server listens (server.root_url if omitted)' },
  only: {
    type: 'string',
    multiple: true,
    value: 'PATTERN',
    help: 'only repositories such as owner/*; can be given several times',
  },
}

const THOROUGH: Option = {
  type: 'boolean',
  help: 'compare reactions and reviews too, with a request for each issue and comment',
}

export const importCommands: readonly Command[] = [
  {
    words: 'import server',
    summary:
      'Import all accounts, organizations and repositories of another server into the running server; further runs import changes. Exits with 3 if something was omitted',
    options: {
      ...SERVERS,
      rename: {
        type: 'string',
        multiple: true,
        value: 'OLD=NEW',
        help: 'another name for an account or organization whose name is taken',
      },
      source: {
        type: 'string',
        multiple: true,
        value: 'THEIRS=OURS',
        help: 'ids of a sign-in source there and here: its accounts sign in with it',
      },
      passwords: {
        type: 'string',
        value: 'FILE',
        help: 'give accounts one-time passwords, and append them to this file: a line with name and password each',
      },
      thorough: { ...THOROUGH, help: `again: ${THOROUGH.help}` },
      'dry-run': { type: 'boolean', help: 'read and count; change nothing' },
      resume: {
        type: 'boolean',
        help: 'continue after an earlier run; --no-resume fails if there was one',
        default: true,
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./import-server.ts')).runImport,
  },
  {
    words: 'import verify',
    summary: 'Compare imported objects with the other server, and print the differences; fails if there are any',
    options: { ...SERVERS, thorough: THOROUGH, ...CONFIG_OPTIONS },
    load: async () => (await import('./import-server.ts')).runVerify,
  },
]
