/** The thread that makes PDFs. */
import { offerToStarter } from '../../../common/threads/calls.ts';
import { makePdf } from './make-pdf.ts';
import type { PrintableLicense } from './printed-license.ts';
import { Typeface } from './typeface.ts';

const typeface = new Typeface();

offerToStarter({ pdf: (license: PrintableLicense) => makePdf(license, typeface) });
