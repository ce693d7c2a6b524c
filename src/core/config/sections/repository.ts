import { Type } from '@sinclair/typebox'

const ATTACHMENT_TYPES =
  '.avif,.cpuprofile,.csv,.dmp,.docx,.fodg,.fodp,.fods,.fodt,.gif,.gz,.jpeg,.jpg,.json,.jsonc,.log,.md,.mov,.mp4,.odf,.odg,.odp,.ods,.odt,.patch,.pdf,.png,.pptx,.svg,.tgz,.txt,.webm,.webp,.xls,.xlsx,.zip'

const UNITS = [
  'code',
  'issues',
  'ext_issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'projects',
  'packages',
  'actions',
].map((name) => `repo.${name}`)
const without = (...names: string[]): string[] =>
  UNITS.filter((unit) => !unit.startsWith('repo.ext_') && !names.includes(unit))
const Units = (units: readonly string[], description: string) =>
  Type.Array(Type.String({ pattern: `^(?:${UNITS.join('|').replaceAll('.', '\\.')})$` }), {
    default: [...units],
    description,
  })

export const repositorySection = Type.Object(
  {
    default_branch: Type.String({
      default: 'main',
      minLength: 1,
      maxLength: 100,
      description: 'First branch of new repositories.',
    }),
    max_creation_limit: Type.Integer({
      default: -1,
      minimum: -1,
      description: 'Most repositories of an owner; -1 is no limit.',
    }),
    allow_fork_without_maximum_limit: Type.Boolean({
      default: true,
      description: 'Let owners at their limit still fork.',
    }),
    force_private: Type.Boolean({ default: false, description: 'Make every new repository private.' }),
    disabled_repo_units: Units(
      [],
      `Units that no repository has, whatever it had before; they come back when they are no longer named here. Of ${UNITS.join(', ')}.`,
    ),
    default_repo_units: Units(without(), 'Units of new repositories; templates get them without repo.actions.'),
    default_fork_repo_units: Units(['repo.code', 'repo.pulls'], 'Units of new forks.'),
    default_mirror_repo_units: Units(without('repo.pulls', 'repo.actions'), 'Units of new pull mirrors.'),
    disable_http_git: Type.Boolean({ default: false, description: 'Refuse git over HTTP.' }),
    disable_migrations: Type.Boolean({ default: false, description: 'Refuse imports from other servers.' }),
    disable_stars: Type.Boolean({ default: false, description: 'Turn stars off.' }),
    disable_forks: Type.Boolean({ default: false, description: 'Turn forks off.' }),
    enable_flags: Type.Boolean({ default: false, description: 'Let site administrators put flags on repositories.' }),
    enable_push_create_user: Type.Boolean({
      default: false,
      description: 'Create a missing repository of a user when it is pushed to.',
    }),
    enable_push_create_org: Type.Boolean({
      default: false,
      description: 'Create a missing repository of an organization when it is pushed to.',
    }),
    go_get_clone_url_protocol: Type.Union([Type.Literal('https'), Type.Literal('ssh')], {
      default: 'https',
      description: 'The protocol that go get is directed to; https stands for the scheme of root_url.',
    }),
    default_push_create_private: Type.Boolean({
      default: true,
      description: 'Repositories made by a push are private.',
    }),
  },
  { additionalProperties: false, description: 'Repositories.' },
)

export const gitSection = Type.Object(
  {
    max_push_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Largest pack of one push, in bytes; 0 is no limit.',
    }),
    pack_cache_size: Type.Integer({
      default: 2 * 1024 ** 3,
      minimum: 0,
      description:
        'Bytes on disk for answers to identical clones, and half as many for archives (zip, tar.gz, bundle). 0 computes ' +
        'each anew and keeps no bundles of large repositories (transfer.bundleURI).',
    }),
    access_control_allow_origin: Type.String({
      default: '',
      pattern: '^(?:|\\*|https?://[^/\\s]+)$',
      description: 'Origin whose web pages may speak git over HTTP; * is any, empty is none.',
    }),
    identity_name: Type.String({
      default: 'Ingot',
      pattern: '^[^<>\\n]*[^<>\\s][^<>\\n]*$',
      description: 'Name in commits and tags that the server creates or signs.',
    }),
    identity_email: Type.String({
      default: '',
      pattern: '^[^<>\\s]*$',
      description: 'E-mail address of that name; empty is ingot at service.no_reply_address.',
    }),
    pull_request_push_message: Type.Boolean({
      default: true,
      description: 'After a push of a branch, print the address of its pull request or of the page to create one.',
    }),
  },
  { additionalProperties: false, description: 'Git.' },
)

export const lfsSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Serve Git LFS.' }),
    max_file_size: Type.Integer({ default: 0, minimum: 0, description: 'Largest file, in bytes; 0 is no limit.' }),
    http_auth_expiry: Type.String({
      default: '24h',
      description: 'How long clients that signed in by SSH may use LFS over HTTP, such as 24h or 30m.',
    }),
  },
  { additionalProperties: false, description: 'Large files (Git LFS).' },
)

export const quotaSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description:
        'Limit the disk space of users and organizations: by rules that administrators make over the API, and by ' +
        'these defaults.',
    }),
    default_groups: Type.Array(Type.String(), { default: [], description: 'Quota groups of users who are in none.' }),
    default_total: Type.Integer({
      default: -1,
      minimum: -1,
      description:
        'Bytes that the repositories of an owner in no group may take with wikis, large files and attachments, ' +
        'where the default groups do not exist; -1 is no limit. Who has more can delete, but add nothing.',
    }),
  },
  { additionalProperties: false, description: 'Limits of disk space.' },
)

export const attachmentSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Allow files on issues and comments.' }),
    allowed_types: Type.String({
      default: ATTACHMENT_TYPES,
      description: 'Comma list of extensions, media types or type/*; empty allows all.',
    }),
    max_size: Type.Integer({ default: 2048, minimum: 1, description: 'Largest file, in MiB.' }),
    max_files: Type.Integer({ default: 5, minimum: 1, description: 'Most files of one issue, and of one comment.' }),
  },
  { additionalProperties: false, description: 'Files attached to issues and comments.' },
)

export const releaseSection = Type.Object(
  {
    allowed_types: Type.String({
      default: '',
      description: 'Comma list of extensions, media types or type/* of release files; empty allows all.',
    }),
    file_max_size: Type.Integer({ default: 2048, minimum: 1, description: 'Largest release file, in MiB.' }),
  },
  { additionalProperties: false, description: 'Files of releases.' },
)

export const mirrorSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Allow mirrors.' }),
    disable_new_pull: Type.Boolean({ default: false, description: 'Refuse new mirrors of other servers.' }),
    disable_new_push: Type.Boolean({ default: false, description: 'Refuse new mirrors to other servers.' }),
    default_interval: Type.String({
      default: '8h',
      description: 'Time between two syncs of a new mirror, such as 8h or 30m.',
    }),
    min_interval: Type.String({ default: '10m', description: 'Shortest time between two syncs.' }),
  },
  { additionalProperties: false, description: 'Mirrors of and to other servers.' },
)

export const migrationsSection = Type.Object(
  {
    max_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Most that an import or one sync of a mirror may bring, in MiB; 0 is no limit.',
    }),
    skip_tls_verify: Type.Boolean({
      default: false,
      description: 'Accept certificates without a valid chain of trust.',
    }),
    allowed_hosts: Type.String({
      default: '',
      description:
        'Comma list of what imports and mirrors may reach: external (all public addresses), private, loopback, ' +
        'address ranges, host names (with *), or * for everything; empty is external.',
    }),
  },
  { additionalProperties: false, description: 'Imports from other servers.' },
)
