drop index barcode_by_word;
