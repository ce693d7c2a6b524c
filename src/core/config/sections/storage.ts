import { Type } from '@sinclair/typebox'

const ADDRESS = String.raw`^$|^https?://[^\s/?#]+/?$`

export const storageSection = Type.Object(
  {
    kind: Type.Union([Type.Literal('local'), Type.Literal('s3')], {
      default: 'local',
      description:
        'Where new files are stored: local is data_dir/blobs, s3 the bucket. If a bucket is set, files missing in ' +
        'one of them are read from the other.',
    }),
    bucket: Type.String({
      default: '',
      pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
      description: 'Name of the bucket, which must exist.',
    }),
    prefix: Type.String({
      default: '',
      pattern: String.raw`^$|^(?!/)(?:[A-Za-z0-9!_.*'()-]+/)*[A-Za-z0-9!_.*'()-]+/?$`,
      description:
        'Folder in the bucket. Each installation needs a folder of its own: it deletes files it does not know.',
    }),
    endpoint: Type.String({
      default: '',
      pattern: ADDRESS,
      description: 'URL of the S3 server, such as https://s3.example.org:9000. Empty: Amazon S3 in that region.',
    }),
    public_endpoint: Type.String({
      default: '',
      pattern: ADDRESS,
      description: 'URL at which clients reach the S3 server, for redirects, if it differs from endpoint.',
    }),
    region: Type.String({
      default: 'us-east-1',
      pattern: '^[A-Za-z0-9-]{1,64}$',
      description: 'Region for request signatures.',
    }),
    path_style: Type.Boolean({
      default: false,
      description:
        'Put the bucket name into the path of URLs instead of the host name; most self-hosted servers need it.',
    }),
    access_key: Type.String({
      default: '',
      description:
        'Access key id. Empty: AWS_ACCESS_KEY_ID and related environment variables, the shared ' +
        'files of the AWS tools, or the role of the machine.',
    }),
    secret_key: Type.String({ default: '', description: 'Secret access key.' }),
    secret_key_file: Type.String({
      default: '',
      description: 'File that contains the secret, instead of storage.secret_key. Read when the server starts.',
    }),
    ca_file: Type.String({
      default: '',
      description: 'PEM file with additional CA certificates to trust for the S3 server.',
    }),
    encryption: Type.Union([Type.Literal('none'), Type.Literal('AES256'), Type.Literal('aws:kms')], {
      default: 'none',
      description: 'Server-side encryption requested by uploads; none uses the setting of the bucket.',
    }),
    kms_key: Type.String({
      default: '',
      maxLength: 2048,
      description: 'KMS key for aws:kms. Empty: the default key of the bucket.',
    }),
    redirect: Type.Boolean({
      default: false,
      description:
        'Redirect downloads of large files, attachments and artifacts to the S3 server, which clients must reach. ' +
        'Anyone with the URL can read the file until it expires.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Files: large files, attachments, avatars, artifacts (docs/operate/storage.md).',
  },
)
