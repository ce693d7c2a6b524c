/** A layer is the longest of these prefixes that a file's path begins with; `may` lists the layers it may import. */
export interface Layer {
  readonly prefix: string
  readonly may: readonly string[]
  /** Why the rule is there. */
  readonly because: string
}

const DOMAIN_ORDER = [
  'access',
  'users',
  'orgs',
  'oauth',
  'markup',
  'signing',
  'quota',
  'repos',
  'lfs',
  'collaboration',
  'social',
  'protections',
  'avatars',
  'code',
  'attachments',
  'labels',
  'wiki',
  'issues',
  'pulls',
  'releases',
  'hooks',
  'notifications',
  'actions',
  'packages',
  'mirrors',
  'migrations',
  'admin',
  'upkeep',
]

const domains: Layer[] = DOMAIN_ORDER.map((name, index) => ({
  prefix: `src/domain/${name}/`,
  may: [
    ...DOMAIN_ORDER.slice(0, index).map((earlier) => `src/domain/${earlier}/`),
    'src/policy/',
    'src/db/',
    'src/git/',
    'src/blobs/',
    'src/events/',
    'src/jobs/',
    'src/contract/',
    'src/platform/',
    'data/',
  ],
  because: 'a later subject may use an earlier one; influence the other way goes by events',
}))

const outer = [
  'src/present/',
  'src/domain/',
  'src/contract/',
  'src/policy/',
  'src/platform/',
  'src/config/',
  'src/events/',
  'src/jobs/',
]

export const layers: readonly Layer[] = [
  {
    prefix: 'src/main.ts',
    may: ['src/cli/', 'src/app.ts', 'src/config/', 'src/platform/'],
    because: 'the process: it only starts what others compose',
  },
  { prefix: 'src/app.ts', may: ['src/'], because: 'the composition root constructs everything' },
  { prefix: 'src/app/', may: ['src/'], because: 'parts of the composition root' },
  { prefix: 'src/site.ts', may: ['src/config/', 'src/present/'], because: 'part of the composition root' },
  { prefix: 'src/platform/', may: [], because: 'it has no business words and imports nothing of ours' },
  { prefix: 'src/config/', may: ['src/platform/'], because: 'settings are a leaf' },
  { prefix: 'src/contract/', may: [], because: 'the wire is a leaf' },
  { prefix: 'src/policy/', may: ['src/platform/'], because: 'decisions are pure' },
  {
    prefix: 'src/db/',
    may: ['src/policy/', 'src/platform/', 'migrations/'],
    because: 'the data layer knows no domain, HTTP or git',
  },
  { prefix: 'src/git/', may: ['src/platform/'], because: 'git knows no database, domain or HTTP' },
  { prefix: 'src/blobs/', may: ['src/platform/'], because: 'stored bytes know no database, domain or HTTP' },
  {
    prefix: 'src/events/',
    may: ['src/db/', 'src/contract/', 'src/platform/'],
    because: 'the outbox lives in the database',
  },
  {
    prefix: 'src/jobs/',
    may: ['src/db/', 'src/domain/', 'src/events/', 'src/policy/', 'src/git/', 'src/contract/', 'src/platform/'],
    because: 'jobs are doors of the domain',
  },
  { prefix: 'src/subscribers/', may: outer, because: 'subscribers react to events through the domain' },
  ...domains,
  {
    prefix: 'src/present/',
    may: ['src/contract/', 'src/db/', 'src/domain/', 'src/policy/', 'src/platform/', 'src/git/'],
    because: 'presenters are pure: entity and facts in, contract model out',
  },
  { prefix: 'src/api/', may: outer, because: 'the API is a door of the domain and never touches database or git' },
  {
    prefix: 'src/transport/',
    may: [...outer, 'src/git/', 'src/blobs/'],
    because: 'the other doors over the same domain; wire streams come from git',
  },
  {
    prefix: 'src/cli/',
    may: [...outer, 'src/app.ts', 'src/app/', 'src/site.ts'],
    because: 'commands are thin files over the domain',
  },
]

/** Layers whose insides are reached by their index.ts only, from outside. */
export const faces: readonly RegExp[] = [
  /^src\/git\//,
  /^src\/blobs\//,
  /^src\/platform\/(?:outgoing|pgp)\//,
  /^src\/domain\/[^/]+\//,
  /^src\/config\//,
  /^src\/events\//,
  /^src\/jobs\/(?!handlers\/)/,
]

/** Where each library may be imported. */
export const importers: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['src/db/dialect/'],
  pg: ['src/db/dialect/'],
  kysely: ['src/db/', 'migrations/'],
  'kysely/migration': ['src/db/', 'migrations/'],
  jimp: ['src/platform/images/'],
  openpgp: ['src/platform/pgp/'],
  fastify: ['src/api/', 'src/transport/', 'src/app.ts', 'src/app/'],
  ssh2: ['src/transport/git-ssh/'],
  'node:child_process': ['src/platform/'],
  undici: ['src/platform/outgoing/'],
}

/** Words that only one place may say. */
export const words: readonly {
  readonly pattern: RegExp
  readonly allowed: readonly string[]
  readonly because: string
}[] = [
  {
    pattern: /\bprocess\.env\b/,
    allowed: ['src/config/', 'src/main.ts', 'src/cli/'],
    because: 'settings come from the configuration',
  },
  { pattern: /\bDate\.now\(\)/, allowed: ['src/platform/clock.ts'], because: 'time comes from the clock' },
]
