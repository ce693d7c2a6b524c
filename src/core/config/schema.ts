import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { actionsSection } from './sections/actions.ts'
import { apiSection, serverSection, serviceSection, uiSection } from './sections/api.ts'
import { backupSection } from './sections/backup.ts'
import { clusterSection } from './sections/cluster.ts'
import { issueSection } from './sections/issue.ts'
import { mailerSection } from './sections/mailer.ts'
import { oauth2Section } from './sections/oauth2.ts'
import { packagesSection } from './sections/packages.ts'
import { pullRequestSection } from './sections/pull-request.ts'
import {
  attachmentSection,
  gitSection,
  lfsSection,
  migrationsSection,
  mirrorSection,
  quotaSection,
  releaseSection,
  repositorySection,
} from './sections/repository.ts'
import { rateLimitSection } from './sections/rate-limit.ts'
import { searchSection } from './sections/search.ts'
import { signingSection } from './sections/signing.ts'
import { storageSection } from './sections/storage.ts'
import {
  auditSection,
  corsSection,
  databaseSection,
  federationSection,
  logSection,
  metricsSection,
  securitySection,
  sshSection,
} from './sections/system.ts'
import { tlsSection } from './sections/tls.ts'
import { webhookSection } from './sections/webhook.ts'

/**
 * Every setting once: type, default, allowed values and description.
 * Types, checks, `config.example.toml` and `ingot config show` are all derived from this value.
 */
export const configSchema = Type.Object(
  {
    data_dir: Type.String({
      default: './data',
      minLength: 1,
      description: 'Directory of the database, repositories, files and keys. Relative to the working directory.',
    }),
    server: serverSection,
    tls: tlsSection,
    database: databaseSection,
    ssh: sshSection,
    service: serviceSection,
    mailer: mailerSection,
    storage: storageSection,
    backup: backupSection,
    log: logSection,
    cluster: clusterSection,
    security: securitySection,
    oauth2: oauth2Section,
    api: apiSection,
    cors: corsSection,
    rate_limit: rateLimitSection,
    repository: repositorySection,
    git: gitSection,
    lfs: lfsSection,
    attachment: attachmentSection,
    release: releaseSection,
    issue: issueSection,
    pull_request: pullRequestSection,
    actions: actionsSection,
    packages: packagesSection,
    search: searchSection,
    webhook: webhookSection,
    mirror: mirrorSection,
    migrations: migrationsSection,
    signing: signingSection,
    quota: quotaSection,
    ui: uiSection,
    audit: auditSection,
    metrics: metricsSection,
    federation: federationSection,
  },
  { additionalProperties: false },
)

export type Config = Static<typeof configSchema>

export interface Setting {
  /** `section.key`, or the bare key at the top level. */
  readonly path: string
  readonly section: string
  readonly key: string
  readonly schema: TSchema
}

/** All settings, in the order of the schema. */
export function listSettings(): Setting[] {
  return Object.entries(configSchema.properties).flatMap(([section, schema]) =>
    schema.type === 'object'
      ? Object.entries(schema.properties as Record<string, TSchema>).map(([key, leaf]) => ({
          path: `${section}.${key}`,
          section,
          key,
          schema: leaf,
        }))
      : [{ path: section, section: '', key: section, schema: schema as TSchema }],
  )
}

/** `INGOT_SECTION_KEY`: the environment variable that overrides a setting. */
export const environmentName = ({ path }: Pick<Setting, 'path'>): string =>
  `INGOT_${path.replace('.', '_').toUpperCase()}`
