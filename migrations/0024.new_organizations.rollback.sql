create statistics measurement_line_statistics (dependencies) on organization_id, id from measurement_line;
