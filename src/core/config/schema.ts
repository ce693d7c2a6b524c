import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { actionsSection } from './sections/actions.ts'
import { apiSection, serverSection, serviceSection, uiSection } from './sections/api.ts'
import { backupSection } from './sections/backup.ts'
import { clusterSection } from './sections/cluster.ts'
import { issueSection } from './sections/issue.ts'
import { mailerSection } from './sections/mailer.ts'
import { oauth2Section } from './sections/oauth2.ts'
import { pictureSection } from './sections/picture.ts'
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
import { signingSection } from './sections/signing.ts'
import { storageSection } from './sections/storage.ts'
import { streamSection } from './sections/stream.ts'
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
import { webhookSection } from './sections/webhook.ts'

/**
 * Every setting once: type, default, allowed values and the sentence that explains it.
 * Types, checks, `config.example.toml` and `ingot config show` are all made from this value.
 */
export const configSchema = Type.Object(
  {
    data_dir: Type.String({
      default: './data',
      minLength: 1,
      description: 'Where everything is kept: database, repositories, keys. Relative to the working directory.',
    }),
    server: serverSection,
    database: databaseSection,
    cluster: clusterSection,
    storage: storageSection,
    backup: backupSection,
    log: logSection,
    api: apiSection,
    service: serviceSection,
    security: securitySection,
    ui: uiSection,
    repository: repositorySection,
    git: gitSection,
    lfs: lfsSection,
    issue: issueSection,
    pull_request: pullRequestSection,
    attachment: attachmentSection,
    quota: quotaSection,
    release: releaseSection,
    picture: pictureSection,
    signing: signingSection,
    mirror: mirrorSection,
    migrations: migrationsSection,
    webhook: webhookSection,
    actions: actionsSection,
    mailer: mailerSection,
    oauth2: oauth2Section,
    cors: corsSection,
    rate_limit: rateLimitSection,
    stream: streamSection,
    ssh: sshSection,
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

/** All settings in the order of the schema. */
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
export const environmentName = (setting: Setting): string => `INGOT_${setting.path.replace('.', '_').toUpperCase()}`
