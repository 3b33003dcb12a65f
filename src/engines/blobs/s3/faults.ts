/** The members of errors of the SDK and of Node that this file reads. */
interface Fault {
  name?: string;
  message?: string;
  code?: string;
  address?: string;
  port?: number;
  hostname?: string;
  $metadata?: { httpStatusCode?: number | undefined };
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'no such host name',
  EAI_AGAIN: 'host names cannot be looked up now',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
  ETIMEDOUT: 'no answer in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS as asked for',
};

/** The names that the SDK gives to errors without a body, such as those of HEAD. */
const NAMELESS = /^(?:Unknown.*|\d{3})?$/;

const DENIED = ['AccessDenied', 'SignatureDoesNotMatch', 'InvalidAccessKeyId', 'Forbidden'];
const ENDED = ['ExpiredToken', 'TokenRefreshRequired', 'InvalidToken'];
const ELSEWHERE = [
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraint',
];

/** Returns nothing if the object is missing. `NotFound` is the name for HEAD. Throws any other error. */
export function unlessAbsent(error: unknown): undefined {
  const { name = '' } = error as Fault;
  if (name !== 'NoSuchKey' && name !== 'NotFound') throw error;
}

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  const { name = '', code = '' } = error as Fault;
  const status = statusOf(error) ?? 0;
  return name === 'TimeoutError' || code in UNREACHABLE || status >= 500 || status === 429;
}

/** Why the store is unusable and what the operator can do, as the end of a sentence. Contains no secret. */
export function reasonOf(error: unknown): string {
  const { name = '', code = '', message = '', address, port, hostname } = error as Fault;
  const status = statusOf(error);
  if (name === 'CredentialsProviderError') {
    return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile or role';
  }
  if (/^region (?:is missing|not accepted)/i.test(message)) {
    return 'its region is not known: set AWS_REGION';
  }
  if (ENDED.includes(name)) return `the credentials have ended (${name}): renew them`;
  if (ELSEWHERE.includes(name) || status === 301 || status === 307) {
    return 'it lies in another region: correct AWS_REGION';
  }
  if (name === 'RequestTimeTooSkewed') return "this machine's clock is wrong: set it (NTP)";
  const shownName = NAMELESS.test(name) ? '' : ` (${name})`;
  if (DENIED.includes(name) || status === 403 || status === 401) {
    return `access is denied${shownName}: check the credentials and their rights to list, read, write and delete`;
  }
  if (name === 'NoSuchBucket' || status === 404) {
    return 'there is no such bucket: make it, or correct its name';
  }
  const unreachable = UNREACHABLE[code];
  if (name === 'TimeoutError' || unreachable !== undefined) {
    const where = address === undefined ? hostname : `${address}:${port}`;
    const at = where === undefined ? 'its endpoint' : `its endpoint ${where}`;
    return `${at} cannot be reached (${unreachable ?? 'no answer in time'}): check AWS_ENDPOINT_URL and the network`;
  }
  if (status !== undefined && (status >= 500 || status === 429)) {
    return `it answers ${status}${shownName}: try again later`;
  }
  if (status !== undefined) {
    return `it refuses requests with ${status}${shownName}: check AWS_REGION and AWS_ENDPOINT_URL`;
  }
  return `${name}: ${message.replace(/\.$/, '')}`;
}

function statusOf(error: unknown): number | undefined {
  return (error as Fault).$metadata?.httpStatusCode;
}
