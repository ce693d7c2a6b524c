import { Type } from '@sinclair/typebox'

const ADDRESS = String.raw`^$|^https?://[^\s/?#]+/?$`

export const storageSection = Type.Object(
  {
    kind: Type.Union([Type.Literal('local'), Type.Literal('s3')], {
      default: 'local',
      description:
        'Where new files are stored: local is data_dir/blobs, s3 the bucket. With a bucket and local, files that ' +
        'data_dir lacks are read from the bucket, and the other way round with s3.',
    }),
    bucket: Type.String({
      default: '',
      pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
      description: 'Name of the bucket. Ingot does not make it.',
    }),
    prefix: Type.String({
      default: '',
      pattern: String.raw`^$|^(?!/)(?:[A-Za-z0-9!_.*'()-]+/)*[A-Za-z0-9!_.*'()-]+/?$`,
      description: 'Folder in the bucket. Each installation needs one of its own: it deletes files it does not know.',
    }),
    endpoint: Type.String({
      default: '',
      pattern: ADDRESS,
      description: 'Address of the S3 server, such as https://s3.example.org:9000. Empty: Amazon S3 of the region.',
    }),
    public_endpoint: Type.String({
      default: '',
      pattern: ADDRESS,
      description: 'Address at which clients reach the S3 server, for redirects, where it is not endpoint.',
    }),
    region: Type.String({
      default: 'us-east-1',
      pattern: '^[A-Za-z0-9-]{1,64}$',
      description: 'Region that requests are signed for.',
    }),
    path_style: Type.Boolean({
      default: false,
      description: 'Put the bucket into the path of addresses in place of their host name; most own servers need it.',
    }),
    access_key: Type.String({
      default: '',
      description:
        'Id of the key that signs requests. Empty: AWS_ACCESS_KEY_ID and its relatives in the environment, the shared ' +
        'files of the AWS tools, or the role of the machine.',
    }),
    secret_key: Type.String({ default: '', description: 'Secret of that key.' }),
    secret_key_file: Type.String({
      default: '',
      description: 'File that contains the secret, in place of storage.secret_key. Read when the server starts.',
    }),
    ca_file: Type.String({
      default: '',
      description: 'File with further certificates, in PEM, that the certificate of the S3 server may be signed by.',
    }),
    encryption: Type.Union([Type.Literal('none'), Type.Literal('AES256'), Type.Literal('aws:kms')], {
      default: 'none',
      description: 'Encryption on the S3 server that uploads ask for; none leaves it to the bucket.',
    }),
    kms_key: Type.String({
      default: '',
      maxLength: 2048,
      description: 'Key for aws:kms. Empty: the default key of the bucket.',
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
