/** The methods of RFC 9110 §9 and of RFC 5789, except CONNECT, which is answered on its own. */
export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const;
