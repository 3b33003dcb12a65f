/** The thread that makes the PDFs of statements for the console. */
import { offerToStarter } from '../../common/threads/calls.ts';
import { sheetPdf } from './sheet-pdf.ts';

offerToStarter({ sheetPdf });
