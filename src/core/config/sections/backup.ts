import { Type } from '@sinclair/typebox'

export const backupSection = Type.Object(
  {
    kind: Type.Union([Type.Literal('off'), Type.Literal('local'), Type.Literal('s3')], {
      default: 'off',
      description: 'Destination of the continuous backup: a directory (local), a bucket (s3), or none.',
    }),
    directory: Type.String({
      default: '',
      description:
        'Directory for local. It must exist; each server needs a directory of its own, best on another disk.',
    }),
    bucket: Type.String({
      default: '',
      pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
      description: 'Bucket for s3, accessed with the settings of [storage]. Empty: storage.bucket.',
    }),
    prefix: Type.String({
      default: 'backup/',
      pattern: String.raw`^(?!/)(?:[A-Za-z0-9!_.*'()-]+/)*[A-Za-z0-9!_.*'()-]+/?$`,
      description: 'Folder in that bucket. Each server needs a folder of its own.',
    }),
    files_interval: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 3600,
      description: 'Seconds between copies of changed repositories and files.',
    }),
    days: Type.Integer({
      default: 7,
      minimum: 1,
      maximum: 3650,
      description: 'Days for which the backup can be restored to any point in time.',
    }),
  },
  { additionalProperties: false, description: 'Continuous backup (docs/operate/backup.md).' },
)
